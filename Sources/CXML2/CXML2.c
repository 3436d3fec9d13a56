#include "CXML2.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct cxml2_reader {
    const struct cxml2_events *events;
    void *owner;
    xmlParserCtxtPtr parser;
    int outcome;
    // Set by bytes that aren't UTF-8: libxml2 then takes all that follows for ISO 8859-1.
    int encoding_lost;
};

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

static void prepare_library(void) { xmlInitParser(); }

static void fail(cxml2_reader *reader, int outcome) {
    if (reader->outcome != cxml2_ok) return;
    reader->outcome = outcome;
    if (reader->parser != NULL) xmlStopParser(reader->parser);
}

static void on_begin(
    void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
    const xmlChar **namespaces, int attribute_count, int defaulted_count, const xmlChar **attributes) {
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces;
    (void)attribute_count, (void)defaulted_count, (void)attributes;
    cxml2_reader *reader = user;
    if (reader->outcome == cxml2_ok) reader->events->begin(reader->owner, (const char *)name);
}

static void on_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    (void)prefix, (void)uri;
    cxml2_reader *reader = user;
    if (reader->outcome == cxml2_ok && reader->encoding_lost) reader->events->damage(reader->owner);
    if (reader->outcome == cxml2_ok) reader->events->end(reader->owner, (const char *)name);
}

static void on_text(void *user, const xmlChar *bytes, int length) {
    cxml2_reader *reader = user;
    if (reader->outcome != cxml2_ok || length <= 0) return;
    reader->events->text(reader->owner, (const char *)bytes, (size_t)length);
}

static void on_doctype(void *user, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id) {
    (void)name, (void)public_id, (void)system_id;
    fail(user, cxml2_doctype);
}

// A key may hold bytes that XML 1.0 can't carry, raw or escaped. That spoils the one element, not the document: the
// reader recovers there, and from nothing else.
static void on_error(void *user, xmlErrorPtr error) {
    cxml2_reader *reader = user;
    if (error == NULL || error->level < XML_ERR_ERROR) return;
    switch (error->code) {
    case XML_ERR_INVALID_ENCODING:
        reader->encoding_lost = 1;
        break;
    case XML_ERR_INVALID_CHAR:
    case XML_ERR_INVALID_CHARREF:
        if (reader->outcome == cxml2_ok) reader->events->damage(reader->owner);
        break;
    case XML_NS_ERR_UNDEFINED_NAMESPACE:
        break;
    default:
        fail(reader, cxml2_malformed);
    }
}

cxml2_reader *cxml2_reader_create(const struct cxml2_events *events, void *owner) {
    pthread_once(&library_once, prepare_library);
    cxml2_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->events = events;
    reader->owner = owner;

    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.internalSubset = on_doctype;
    handler.startElementNs = on_begin;
    handler.endElementNs = on_end;
    handler.characters = on_text;
    handler.ignorableWhitespace = on_text;
    handler.cdataBlock = on_text;
    handler.serror = on_error;

    reader->parser = xmlCreatePushParserCtxt(&handler, reader, NULL, 0, NULL);
    if (reader->parser == NULL) {
        free(reader);
        return NULL;
    }
    // No network, entities left alone (not NOENT); recovery only as far as on_error lets it. Services send UTF-8, whatever
    // a document declares: a converter that fails would end it without a word to on_error, but one to standard error.
    xmlCtxtUseOptions(reader->parser, XML_PARSE_NONET | XML_PARSE_RECOVER | XML_PARSE_IGNORE_ENC);
    return reader;
}

int cxml2_reader_feed(cxml2_reader *reader, const char *bytes, int length, int is_last) {
    if (reader->outcome != cxml2_ok) return reader->outcome;
    int code = xmlParseChunk(reader->parser, bytes, length, is_last);
    if (reader->outcome == cxml2_ok && code == XML_ERR_NO_MEMORY) reader->outcome = cxml2_malformed;
    return reader->outcome;
}

void cxml2_reader_stop(cxml2_reader *reader) { fail(reader, cxml2_stopped); }

void cxml2_reader_destroy(cxml2_reader *reader) {
    if (reader == NULL) return;
    xmlFreeParserCtxt(reader->parser);
    free(reader);
}
