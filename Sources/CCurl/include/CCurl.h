// libcurl for Swift, which imports no variadic functions and no unions: one typed setter for each kind of argument.
#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

/// The type of CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION.
typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);
/// The type of CURLOPT_SEEKFUNCTION.
typedef int (*ccurl_seek_function)(void *context, curl_off_t offset, int origin);
/// The type of CURLOPT_PREREQFUNCTION, which is called before each sending of a request.
typedef int (*ccurl_send_function)(
    void *context, char *peer_address, char *own_address, int peer_port, int own_port);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
/// For pointers and strings, NULL included; libcurl copies strings.
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value);
CURLcode ccurl_set_data_function(CURL *easy, CURLoption option, ccurl_data_function function);
CURLcode ccurl_set_seek_function(CURL *easy, ccurl_seek_function function);
CURLcode ccurl_set_send_function(CURL *easy, ccurl_send_function function);

/// The value of a CURLINFO of the long kind; 0 where there is none.
long ccurl_get_long(CURL *easy, CURLINFO info);
/// The value of a CURLINFO of the curl_off_t kind; 0 where there is none.
curl_off_t ccurl_get_offset(CURL *easy, CURLINFO info);
/// The value of a CURLINFO of the string kind, owned by `easy`; NULL where there is none.
const char *ccurl_get_string(CURL *easy, CURLINFO info);
/// The object given as CURLOPT_PRIVATE.
void *ccurl_get_private(CURL *easy);
/// The types of CURLOPT_OPENSOCKETFUNCTION, as far as it concerns us, and of CURLOPT_CLOSESOCKETFUNCTION.
typedef void (*ccurl_opened_function)(void *context, int socket);
typedef int (*ccurl_close_function)(void *context, int socket);
/// What CURLOPT_OPENSOCKETDATA points to; must outlive all connections.
struct ccurl_socket_watch {
    ccurl_opened_function opened;
    void *context;
};
/// Tells `watch` of each socket opened, which is closed on exec, and lets `close` close it, given `watch->context`.
CURLcode ccurl_watch_sockets(CURL *easy, struct ccurl_socket_watch *watch, ccurl_close_function close);

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
/// Takes one finished transfer off the list: true with its handle and result, false when there is none.
bool ccurl_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result);

/// Lets all handles given this share resume each other's TLS sessions; for handles of one thread, as nothing is locked.
CURLSHcode ccurl_share_tls_sessions(CURLSH *share);

/// What the kernel knows of a TCP connection.
struct ccurl_socket_state {
    /// Bytes received, and bytes sent that the peer has acknowledged, together.
    uint64_t bytes_moved;
    /// False once either side has closed or reset it.
    bool is_established;
};
/// Reads that state; false where `socket` is none of TCP.
bool ccurl_read_socket_state(int socket, struct ccurl_socket_state *state);
/// The local port of an IP socket; 0 where it has none yet.
int ccurl_socket_local_port(int socket);
/// Whether `socket` is the connection that `easy` uses.
bool ccurl_socket_is_of(int socket, CURL *easy);
/// What a read of a socket would bring at once.
enum ccurl_input {
    CCURL_INPUT_NONE,
    CCURL_INPUT_BYTES,
    /// The peer has closed or reset the connection, and nothing from it is left unread.
    CCURL_INPUT_END,
};
/// Looks at `socket` without reading from it; an error pending on it is taken off it and told as the end.
enum ccurl_input ccurl_socket_input(int socket);
