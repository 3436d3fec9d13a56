#define _GNU_SOURCE
#include "CCurl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }

CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_data_function(CURL *easy, CURLoption option, ccurl_data_function function) {
    return curl_easy_setopt(easy, option, function);
}

CURLcode ccurl_set_seek_function(CURL *easy, ccurl_seek_function function) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

CURLcode ccurl_set_send_function(CURL *easy, ccurl_send_function function) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

long ccurl_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t ccurl_get_offset(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

const char *ccurl_get_string(CURL *easy, CURLINFO info) {
    char *value = NULL;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : NULL;
}

void *ccurl_get_private(CURL *easy) {
    char *value = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

static curl_socket_t open_socket(void *watch_pointer, curlsocktype purpose, struct curl_sockaddr *address) {
    struct ccurl_socket_watch *watch = watch_pointer;
    (void)purpose;
    int opened = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (opened < 0) return CURL_SOCKET_BAD;
    watch->opened(watch->context, opened);
    return opened;
}

CURLcode ccurl_watch_sockets(CURL *easy, struct ccurl_socket_watch *watch, ccurl_close_function close) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, watch);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, watch->context);
    CURLcode result = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (result != CURLE_OK) return result;
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
}

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

bool ccurl_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *easy = message->easy_handle;
        *result = message->data.result;
        return true;
    }
    return false;
}

CURLSHcode ccurl_share_tls_sessions(CURLSH *share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

bool ccurl_read_socket_state(int socket, struct ccurl_socket_state *state) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
    if (length < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) return false;
    state->bytes_moved = info.tcpi_bytes_acked + info.tcpi_bytes_received;
    state->is_established = info.tcpi_state == 1;  // TCP_ESTABLISHED, whose header clashes with <linux/tcp.h>.
    return true;
}

// The port of one end, and its address as text as libcurl prints it; 0 where there is none.
static int end_of(int socket, bool peer, char *text) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    struct sockaddr *any = (struct sockaddr *)&address;
    if ((peer ? getpeername(socket, any, &length) : getsockname(socket, any, &length)) != 0) return 0;
    if (address.ss_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
        inet_ntop(AF_INET, &four->sin_addr, text, INET6_ADDRSTRLEN);
        return ntohs(four->sin_port);
    }
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
        inet_ntop(AF_INET6, &six->sin6_addr, text, INET6_ADDRSTRLEN);
        return ntohs(six->sin6_port);
    }
    return 0;
}

int ccurl_socket_local_port(int socket) {
    char text[INET6_ADDRSTRLEN];
    return end_of(socket, false, text);
}

bool ccurl_socket_is_of(int socket, CURL *easy) {
    char local[INET6_ADDRSTRLEN] = "", peer[INET6_ADDRSTRLEN] = "";
    const char *local_wanted = ccurl_get_string(easy, CURLINFO_LOCAL_IP);
    const char *peer_wanted = ccurl_get_string(easy, CURLINFO_PRIMARY_IP);
    return local_wanted != NULL && peer_wanted != NULL &&
           end_of(socket, false, local) == ccurl_get_long(easy, CURLINFO_LOCAL_PORT) &&
           end_of(socket, true, peer) == ccurl_get_long(easy, CURLINFO_PRIMARY_PORT) &&
           strcmp(local, local_wanted) == 0 && strcmp(peer, peer_wanted) == 0;
}

enum ccurl_input ccurl_socket_input(int socket) {
    // The poll is the cheap and common case; the peek tells bytes from an end.
    struct pollfd wanted = {.fd = socket, .events = POLLIN | POLLRDHUP};
    if (poll(&wanted, 1, 0) <= 0) return CCURL_INPUT_NONE;
    char byte;
    ssize_t received = recv(socket, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
    if (received > 0) return CCURL_INPUT_BYTES;
    if (received < 0 && (errno == EAGAIN || errno == EINTR)) return CCURL_INPUT_NONE;
    return CCURL_INPUT_END;
}
