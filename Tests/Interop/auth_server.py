"""An auth server in trouble: passes requests on to another one, late, and fails the second and the third.

    auth_server.py UPSTREAM FOLDER SECONDS FORM    each answer comes SECONDS late; FORM is plain or base64, as UPSTREAM is

Writes its port to FOLDER/auth-port, a line for each answer to FOLDER/auth-log, and every secret that it passed on to
FOLDER/auth-secrets. The second answer is HTTP's 500, the third a JSON of StatusCode 500 that repeats the login.
"""

import base64
import json
import os
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

UPSTREAM, FOLDER, LATE, FORM = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
lock = threading.Lock()
count = 0


def note(name, line):
    with lock, open(f"{FOLDER}/{name}", "a") as file:
        file.write(line + "\n")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        global count
        with lock:
            count += 1
            number = count
        time.sleep(LATE)
        login = self.headers.get("X-Login", "")
        if number == 2:
            return self.answer(500, b"in trouble with " + login.encode())
        if number == 3:
            words = {"StatusCode": 500, "ErrorCode": "InternalError", "ErrorMessage": f"in trouble with {login}"}
            return self.answer(200, self.encoded(json.dumps(words).encode()))
        request = urllib.request.Request(UPSTREAM, headers={"X-Login": login})
        with urllib.request.urlopen(request) as reply:
            body = reply.read()
        keys = json.loads(base64.b64decode(body) if FORM == "base64" else body)
        for name in ("AccessKeySecret", "SecurityToken"):
            note("auth-secrets", keys[name])
        return self.answer(200, body)

    def encoded(self, body):
        return base64.b64encode(body) if FORM == "base64" else body

    def answer(self, status, body):
        note("auth-log", f"{status} {len(body)}")
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with open(f"{FOLDER}/auth-port.new", "w") as file:
        file.write(str(server.server_port))
    os.rename(f"{FOLDER}/auth-port.new", f"{FOLDER}/auth-port")
    server.serve_forever()


if __name__ == "__main__":
    main()
