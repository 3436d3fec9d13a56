// ObjectServer
