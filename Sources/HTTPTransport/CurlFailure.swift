import CCurl

/// Tells what libcurl's result means for one exchange.
enum CurlFailure {
    /// The end of `exchange`, which libcurl ended with `code`.
    static func result(of exchange: Exchange, code: CURLcode) -> Result<Void, TransportError> {
        if let verdict = exchange.verdict { return .failure(verdict) }
        let origin = exchange.request.origin
        if code == CURLE_OK {
            if exchange.hasHead { return .success(()) }
            return .failure(exchange.error(.connectionLost, "\(origin) closed the connection before a whole answer."))
        }
        // The server refused and closed while the body was on its way; the rest of that body can't be sent any more.
        if exchange.isAnsweredEarly, code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR {
            guard let announced = exchange.easy?.announcedBytes, announced > exchange.receivedBytes else {
                return .success(())
            }
            return .failure(exchange.error(.bodyTooShort, "The answer from \(origin) ended before its length."))
        }
        if code == CURLE_SEND_ERROR, exchange.deliverRemains() { return .success(()) }
        return .failure(error(of: exchange, code: code))
    }

    /// Whether a kept connection turned out to be closed before any byte of an answer.
    static func isStaleConnection(_ exchange: Exchange, _ code: CURLcode) -> Bool {
        let isClosed =
            [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING].contains(code)
            || code == CURLE_ABORTED_BY_CALLBACK && exchange.isClosedUnanswered
        guard isClosed, exchange.verdict == nil, !exchange.isRepeated, !exchange.hasAnswerBytes,
            let easy = exchange.easy
        else { return false }
        return !easy.hasNewConnection
    }

    private static func error(of exchange: Exchange, code: CURLcode) -> TransportError {
        let origin = exchange.request.origin
        let words = exchange.easy?.errorMessage ?? ""
        let detail = words.isEmpty ? String(cString: curl_easy_strerror(code)) : words
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return exchange.error(
                .nameNotResolved, "No address for \(origin): \(detail). Check the endpoint and the machine's DNS.")
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED:
            return exchange.error(.cannotConnect, "No connection to \(origin): \(detail).")
        case CURLE_OPERATION_TIMEDOUT:
            return exchange.error(
                .cannotConnect, "No connection to \(origin) within the connect timeout: \(detail).")
        case CURLE_PEER_FAILED_VERIFICATION:
            return exchange.error(
                .tlsFailed, "The certificate of \(origin) was refused: \(detail). \(certificateRemedy(exchange))")
        case CURLE_SSL_CACERT_BADFILE:
            return exchange.error(
                .tlsFailed, "The CA file can't be used: \(detail). Name a PEM file with the option ca-file.")
        case CURLE_SSL_CONNECT_ERROR where isBrokenConnection(exchange):
            return exchange.error(.connectionLost, "\(origin) broke the connection during the TLS handshake.")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED,
            CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            return exchange.error(.tlsFailed, "TLS with \(origin) failed: \(detail).")
        case CURLE_ABORTED_BY_CALLBACK where exchange.isClosedUnanswered:
            return exchange.error(.connectionLost, "\(origin) closed the connection before a whole answer.")
        case CURLE_PARTIAL_FILE:
            return exchange.error(.bodyTooShort, "The answer from \(origin) ended before its length.")
        case CURLE_RECV_ERROR where isRefusedByProxy(exchange):
            return exchange.error(.cannotConnect, "The proxy made no connection to \(origin): \(detail).")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            // libcurl's words may quote the server here.
            return exchange.error(.malformedAnswer, "\(origin) sent what is no HTTP/1.1 answer.")
        case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
            return OutgoingRequest.refusal("The URL for \(origin) can't be used.")
        case CURLE_OUT_OF_MEMORY:
            return exchange.error(.connectionLost, "Out of memory in the exchange with \(origin).")
        default:
            return exchange.error(.connectionLost, "The connection to \(origin) broke: \(detail).")
        }
    }

    /// What mends a refused certificate, by OpenSSL's verdict on it.
    private static func certificateRemedy(_ exchange: Exchange) -> String {
        let verdict = exchange.easy.map { ccurl_get_long($0.curl, CURLINFO_SSL_VERIFYRESULT) }
        switch verdict {
        // X509_V_OK, or the 1 that libcurl begins with: OpenSSL has found nothing, so it is libcurl that refused it, which
        // compares the name.
        case 0, 1: return "Give the endpoint by a name that its certificate is for."
        // X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED.
        case 9, 10: return "If this machine's clock is right, whoever runs the server must renew it."
        default: return "If its authority is one of your own, name its certificate with the option ca-file."
        }
    }

    /// libcurl has one code for all that ends a handshake; a connection that merely broke is worth another try.
    private static func isBrokenConnection(_ exchange: Exchange) -> Bool {
        let words = exchange.easy?.errorMessage ?? ""
        return ["SSL_ERROR_SYSCALL", "Connection reset", "unexpected eof"].contains { words.contains($0) }
    }

    private static func isRefusedByProxy(_ exchange: Exchange) -> Bool {
        guard let curl = exchange.easy?.curl else { return false }
        let code = ccurl_get_long(curl, CURLINFO_HTTP_CONNECTCODE)
        return code != 0 && !(200...299).contains(code)
    }
}
