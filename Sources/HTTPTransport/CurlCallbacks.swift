import CCurl

/// The functions that libcurl calls, on the multi thread, with an unretained `Exchange` as their context.
enum CurlCallbacks {
    static func install(on curl: UnsafeMutableRawPointer, context: UnsafeMutableRawPointer) {
        ccurl_set_data_function(curl, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            let length = size * count
            guard let bytes, let context else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: length)
            return CurlCallbacks.exchange(context).takeHeaderLine(line) ? length : CurlCallbacks.refusal(of: length)
        }
        ccurl_set_data_function(curl, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            let length = size * count
            guard length > 0 else { return 0 }
            guard let bytes, let context else { return CurlCallbacks.refusal(of: length) }
            let body = UnsafeRawBufferPointer(start: bytes, count: length)
            return CurlCallbacks.exchange(context).takeBody(body) ? length : CurlCallbacks.refusal(of: length)
        }
        ccurl_set_data_function(curl, CURLOPT_READFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return Int(CURL_READFUNC_ABORT) }
            let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            return CurlCallbacks.exchange(context).giveBody(buffer)
        }
        ccurl_set_seek_function(curl) { context, offset, origin in
            guard let context, origin == 0 else { return Int32(CURL_SEEKFUNC_FAIL) }
            let isDone = CurlCallbacks.exchange(context).seekBody(to: Int64(offset))
            return isDone ? Int32(CURL_SEEKFUNC_OK) : Int32(CURL_SEEKFUNC_FAIL)
        }
        ccurl_set_send_function(curl) { context, _, _, _, _ in
            guard let context else { return Int32(CURL_PREREQFUNC_ABORT) }
            CurlCallbacks.exchange(context).noteSending()
            return Int32(CURL_PREREQFUNC_OK)
        }
        let options = [
            CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA,
        ]
        for option in options {
            ccurl_set_pointer(curl, option, context)
        }
    }

    static func exchange(_ context: UnsafeMutableRawPointer) -> Exchange {
        Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    }

    /// A number other than `length`, which tells libcurl to stop.
    private static func refusal(of length: Int) -> Int { length == 0 ? 1 : 0 }
}
