// A push reader over libxml2's SAX2 interface, whose handler struct and variadic callbacks Swift can't fill in safely.
#pragma once
#include <stddef.h>

/// What a reader tells while it is fed. Bytes are UTF-8 and die with the call.
struct cxml2_events {
    /// An element opens; `name` is its local name, zero-terminated.
    void (*begin)(void *owner, const char *name);
    /// The next piece of character data of the innermost open element.
    void (*text)(void *owner, const char *bytes, size_t length);
    /// The innermost open element closes; `name` as in `begin`.
    void (*end)(void *owner, const char *name);
    /// The innermost element's text holds what XML can't carry; what has been told of it is not what was meant.
    void (*damage)(void *owner);
};

typedef struct cxml2_reader cxml2_reader;

/// What a reader may answer.
enum {
    cxml2_ok = 0,
    /// Not well-formed, or ended early.
    cxml2_malformed = 1,
    /// There is a document type declaration, which no service sends and which entities would need.
    cxml2_doctype = 2,
    /// `cxml2_reader_stop` was called.
    cxml2_stopped = 3
};

/// A reader that calls `events` with `owner`; NULL without memory. Both must outlive it.
cxml2_reader *cxml2_reader_create(const struct cxml2_events *events, void *owner);

/// Reads the next `length` bytes; with `is_last` the document must be complete. Once it failed it fails the same again.
int cxml2_reader_feed(cxml2_reader *reader, const char *bytes, int length, int is_last);

/// Ends the reading from inside an event: no further event comes.
void cxml2_reader_stop(cxml2_reader *reader);

void cxml2_reader_destroy(cxml2_reader *reader);
