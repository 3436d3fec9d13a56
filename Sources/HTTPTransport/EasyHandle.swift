import CCurl

/// One libcurl easy handle: sets it up for one exchange at a time. Belongs to the multi thread.
final class EasyHandle {
    private static let errorBytes = Int(CURL_ERROR_SIZE)

    let curl: UnsafeMutableRawPointer
    let sockets: OpenSockets
    private let errorText: UnsafeMutablePointer<CChar>
    private let keepsDefaultFolder: Bool

    /// Nil where libcurl has no memory.
    init?(share: UnsafeMutableRawPointer?, sockets: OpenSockets) {
        guard let curl = curl_easy_init() else { return nil }
        self.curl = curl
        self.sockets = sockets
        errorText = .allocate(capacity: Self.errorBytes)
        errorText.initialize(repeating: 0, count: Self.errorBytes)
        // libcurl parses the system's CA file once for all connections only where no CA folder is set besides.
        keepsDefaultFolder = ccurl_get_string(curl, CURLINFO_CAINFO) == nil
        if let share { ccurl_set_pointer(curl, CURLOPT_SHARE, share) }
    }

    deinit {
        curl_easy_cleanup(curl)
        errorText.deallocate()
    }

    /// Makes the handle ready for `exchange`, which must live until `clear`; false where libcurl has no memory.
    func prepare(_ exchange: Exchange, _ configuration: CurlTransport.Configuration) -> Bool {
        errorText[0] = 0
        var result = sockets.watch(curl)
        result = first(result, setConnection(configuration))
        result = first(result, setRequest(exchange.request, configuration))
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        ccurl_set_pointer(curl, CURLOPT_ERRORBUFFER, errorText)
        ccurl_set_pointer(curl, CURLOPT_PRIVATE, context)
        CurlCallbacks.install(on: curl, context: context)
        return result == CURLE_OK
    }

    /// Forgets the exchange; connections and TLS sessions stay.
    func clear() { curl_easy_reset(curl) }

    private func setConnection(_ configuration: CurlTransport.Configuration) -> CURLcode {
        var result = CURLE_OK
        func set(_ option: CURLoption, _ value: Int) { result = first(result, ccurl_set_long(curl, option, value)) }
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_SSL_ENABLE_ALPN, 0)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Ends an exchange whose name is still being looked up without waiting for the look-up's thread.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
        set(CURLOPT_MAXAGE_CONN, configuration.keepAliveIdle.wholeMilliseconds / 1000)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // A dead peer shows within two minutes on a connection where nothing moves, NATs keep their entry.
        set(CURLOPT_TCP_KEEPIDLE, 45)
        set(CURLOPT_TCP_KEEPINTVL, 15)
        set(CURLOPT_BUFFERSIZE, configuration.bufferBytes)
        set(CURLOPT_UPLOAD_BUFFERSIZE, configuration.bufferBytes)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        result = first(result, ccurl_set_pointer(curl, CURLOPT_PROTOCOLS_STR, "http,https"))
        if let caFile = configuration.caFile {
            result = first(result, ccurl_set_pointer(curl, CURLOPT_CAINFO, caFile + [0]))
            ccurl_set_pointer(curl, CURLOPT_CAPATH, nil)
        } else if !keepsDefaultFolder {
            ccurl_set_pointer(curl, CURLOPT_CAPATH, nil)
        }
        // An hour, not libcurl's day: a CA added to the system's store is seen without a new mount.
        ccurl_set_long(curl, CURLOPT_CA_CACHE_TIMEOUT, 3600)
        if !configuration.usesEnvironmentProxy { ccurl_set_pointer(curl, CURLOPT_PROXY, "") }
        return result
    }

    private func setRequest(_ request: OutgoingRequest, _ configuration: CurlTransport.Configuration) -> CURLcode {
        var result = ccurl_set_pointer(curl, CURLOPT_URL, request.url)
        ccurl_set_long(curl, CURLOPT_PATH_AS_IS, 1)
        ccurl_set_pointer(curl, CURLOPT_HTTPHEADER, request.headers.first)
        if !configuration.userAgent.isEmpty {
            result = first(result, ccurl_set_pointer(curl, CURLOPT_USERAGENT, configuration.userAgent + [0]))
        }
        if request.method == "HEAD" {
            ccurl_set_long(curl, CURLOPT_NOBODY, 1)
        } else {
            result = first(result, ccurl_set_pointer(curl, CURLOPT_CUSTOMREQUEST, request.method))
        }
        if let body = request.body {
            ccurl_set_long(curl, CURLOPT_UPLOAD, 1)
            ccurl_set_offset(curl, CURLOPT_INFILESIZE_LARGE, curl_off_t(max(body.count, 0)))
        }
        return result
    }

    private func first(_ left: CURLcode, _ right: CURLcode) -> CURLcode { left == CURLE_OK ? right : left }
}

/// What libcurl and the kernel know about the exchange under way.
extension EasyHandle {
    /// libcurl's words on what failed; they may name host and port.
    var errorMessage: String { String(cString: errorText) }

    /// Whether any byte of the request was given to the kernel.
    var hasSentBytes: Bool { ccurl_get_long(curl, CURLINFO_REQUEST_SIZE) > 0 }

    /// Whether the connection stands, TLS included.
    var isConnected: Bool { ccurl_get_offset(curl, CURLINFO_PRETRANSFER_TIME_T) > 0 }

    /// Whether a connection was made for the exchange, rather than a kept one used.
    var hasNewConnection: Bool { ccurl_get_long(curl, CURLINFO_NUM_CONNECTS) > 0 }

    /// The socket in use; nil while there is none.
    var socket: Int32? { sockets.socket(of: curl) }

    /// The announced length of the answer's body; nil where none was announced.
    var announcedBytes: Int64? {
        let length = ccurl_get_offset(curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        return length >= 0 ? Int64(length) : nil
    }

    /// Whether the peer still holds its end of the connection.
    var isPeerConnected: Bool {
        var state = ccurl_socket_state()
        guard let socket else { return false }
        return ccurl_read_socket_state(socket, &state) && state.is_established
    }

    /// A number that changes whenever a byte moved in either direction.
    ///
    /// The kernel's count, as libcurl's stands still while a large send buffer drains into a slow line.
    var movement: UInt64 {
        var state = ccurl_socket_state()
        if let socket, ccurl_read_socket_state(socket, &state) { return state.bytes_moved }
        let counts = [CURLINFO_SIZE_UPLOAD_T, CURLINFO_SIZE_DOWNLOAD_T].map { ccurl_get_offset(curl, $0) }
        return UInt64(clamping: counts.reduce(0, &+)) &+ UInt64(clamping: ccurl_get_long(curl, CURLINFO_HEADER_SIZE))
    }
}

extension Duration {
    /// Rounded up, at least 1: libcurl takes 0 for "no limit".
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let fraction = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? Int(Int32.max) : Int(min(max(product + fraction, 1), Int64(Int32.max)))
    }
}
