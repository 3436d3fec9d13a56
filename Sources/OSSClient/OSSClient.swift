// OSSClient
