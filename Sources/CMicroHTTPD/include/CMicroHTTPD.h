// libmicrohttpd for Swift: the variadic calls as plain functions.
#pragma once
#include <microhttpd.h>
#include <sys/socket.h>

/// How the daemon is to run; everything pointed to must live until the daemon has been stopped.
struct cmicrohttpd_settings {
    /// A listening socket, owned by the daemon once started.
    int listen_socket;
    unsigned int connection_limit;
    /// Bytes of buffer for each connection: the head of a request must fit, and half of it is one piece of a body.
    size_t connection_memory_bytes;
    /// Bytes of stack for each connection's thread.
    size_t stack_bytes;
    /// PEM texts that end in a zero byte, or both NULL for plain HTTP.
    const char *certificate;
    const char *certificate_key;
    /// Handed to each callback as its first argument.
    void *context;
    /// Called with the raw request target, before anything is unescaped; what it returns is the request's own pointer.
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback complete;
    MHD_NotifyConnectionCallback connection_changed;
};

/// Starts a daemon with a thread for each connection; NULL where the library refuses.
struct MHD_Daemon *cmicrohttpd_start(const struct cmicrohttpd_settings *settings);

/// The socket of a connection, to poll and not to read; -1 where there is none.
int cmicrohttpd_socket(struct MHD_Connection *connection);

/// The peer's address, valid as long as the connection; NULL where unknown.
const struct sockaddr *cmicrohttpd_peer(struct MHD_Connection *connection);
