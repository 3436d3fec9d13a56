"""An auth server as the mobile SDKs of OSS ask one; it gives the embedded server's own keys, for a few seconds each.

usage: auth_server.py FOLDER [--seconds N] [--require NAME:VALUE] [--encode] [--fail N] [--late SECONDS]

Writes its port to FOLDER/auth.port, and a line for each request to FOLDER/auth.log. The keys are OSS_ACCESS_KEY_ID and
OSS_ACCESS_KEY_SECRET of its environment. After the first answer --fail gives N errors in a row.
"""

import argparse
import base64
import datetime
import http.server
import json
import os
import time


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--require", default="")
    parser.add_argument("--encode", action="store_true")
    parser.add_argument("--fail", type=int, default=0)
    parser.add_argument("--late", type=float, default=0)
    return parser.parse_args()


class Handler(http.server.BaseHTTPRequestHandler):
    count = 0

    def do_GET(self):
        options = self.server.options
        Handler.count += 1
        status, reply = self.reply(options)
        with open(os.path.join(options.folder, "auth.log"), "a") as log:
            log.write(f"{reply['StatusCode']}\n")
        time.sleep(options.late)
        body = json.dumps(reply).encode()
        if options.encode:
            body = base64.b64encode(body)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def reply(self, options):
        name, _, value = options.require.partition(":")
        if name and self.headers.get(name) != value:
            message = "who is " + str(self.headers.get(name))
            return 200, {"StatusCode": 403, "ErrorCode": "NotLoggedIn", "ErrorMessage": message}

        if 1 < Handler.count <= 1 + options.fail:
            return 503, {"StatusCode": 503, "ErrorCode": "Busy", "ErrorMessage": "later"}
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=options.seconds)
        return 200, {
            "StatusCode": "200",
            "AccessKeyId": os.environ["OSS_ACCESS_KEY_ID"],
            "AccessKeySecret": os.environ["OSS_ACCESS_KEY_SECRET"],
            "SecurityToken": os.environ.get("OSS_SESSION_TOKEN", ""),
            "Expiration": end.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }

    def log_message(self, *_):
        pass


def main():
    options = arguments()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.options = options
    path = os.path.join(options.folder, "auth.port")
    with open(path + ".new", "w") as file:
        file.write(str(server.server_address[1]))
    os.rename(path + ".new", path)
    server.serve_forever()


main()
