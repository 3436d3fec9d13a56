#include "CMicroHTTPD.h"

struct MHD_Daemon *cmicrohttpd_start(const struct cmicrohttpd_settings *settings) {
    unsigned int flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ITC;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->certificate_key},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    int has_tls = settings->certificate != NULL && settings->certificate_key != NULL;
    if (has_tls) flags |= MHD_USE_TLS;
    return MHD_start_daemon(flags, 0, NULL, NULL, settings->handle, settings->context,                 //
                            MHD_OPTION_LISTEN_SOCKET, settings->listen_socket,                          //
                            MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,                    //
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory_bytes,      //
                            MHD_OPTION_THREAD_STACK_SIZE, settings->stack_bytes,                        //
                            MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,                                       //
                            MHD_OPTION_URI_LOG_CALLBACK, settings->begin, settings->context,            //
                            MHD_OPTION_NOTIFY_COMPLETED, settings->complete, settings->context,         //
                            MHD_OPTION_NOTIFY_CONNECTION, settings->connection_changed, settings->context,  //
                            MHD_OPTION_ARRAY, has_tls ? tls : none,                                     //
                            MHD_OPTION_END);
}

int cmicrohttpd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

const struct sockaddr *cmicrohttpd_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}
