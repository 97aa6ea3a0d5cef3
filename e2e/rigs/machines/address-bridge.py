#!/usr/bin/env python3
"""Leads TCP connections from the lab's public addresses to its machines, as a cloud's network does.

Reads one JSON object a line from standard input, answers each with one line, ends with the end of the input:
  {"expose": [{"address", "port", "listenPort", "server", "allow": [{"cidr", "minPort", "maxPort"}],
               "target": {"host", "port", "netns"?}}]}      the complete set of entries from now on
  {"link": "cut" | "freeze" | "thaw", "server": ID}         what a network can do to the connections of one machine
A connection that no rule allows is reset, and so is one whose machine does not listen. Bytes move by splice(2).
"""
import ctypes
import errno
import ipaddress
import json
import os
import socket
import struct
import sys
import threading
import time

CLONE_NEWNET = 0x40000000
PIECE = 1 << 20
libc = ctypes.CDLL(None, use_errno=True)


class Link:
    """The connections of one machine."""

    def __init__(self):
        self.open = set()
        self.lock = threading.Lock()
        self.flowing = threading.Event()
        self.flowing.set()

    def add(self, *sockets):
        with self.lock:
            self.open.update(sockets)

    def drop(self, *sockets):
        with self.lock:
            self.open.difference_update(sockets)
        for one in sockets:
            one.close()

    def cut(self):
        with self.lock:
            for one in self.open:
                reset_on_close(one)
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


def reset_on_close(one):
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass


def connect(target):
    """Called in a thread of its own, since a network namespace is a matter of the thread."""
    if target.get("netns"):
        descriptor = os.open(target["netns"], os.O_RDONLY)
        try:
            if libc.setns(descriptor, CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
        finally:
            os.close(descriptor)
    return socket.create_connection((target["host"], target["port"]), 5)


def pump(source, sink, link):
    """Moves bytes one way until the end, then passes the end on."""
    reader, writer = os.pipe()
    try:
        while True:
            count = os.splice(source.fileno(), writer, PIECE)
            if count == 0:
                break
            link.flowing.wait()
            while count:
                count -= os.splice(reader, sink.fileno(), count)
        sink.shutdown(socket.SHUT_WR)
    except (OSError, ValueError):
        for one in (source, sink):
            reset_on_close(one)
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
    finally:
        os.close(reader)
        os.close(writer)


class Listener:
    def __init__(self, entry, link):
        self.entry = entry
        self.link = link
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.bind()
        self.socket.listen(64)
        threading.Thread(target=self.run, daemon=True).start()

    def bind(self):
        # Something else on this machine may hold the port on all addresses for a moment.
        deadline = time.monotonic() + 10
        while True:
            try:
                return self.socket.bind((self.entry["address"], self.entry["listenPort"]))
            except OSError as error:
                if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def run(self):
        while True:
            try:
                client, peer = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client, peer[0]), daemon=True).start()

    def allows(self, peer):
        return any(
            ipaddress.ip_address(peer) in ipaddress.ip_network(rule["cidr"], strict=False)
            and rule["minPort"] <= self.entry["port"] <= rule["maxPort"]
            for rule in self.entry["allow"]
        )

    def serve(self, client, peer):
        try:
            if not self.allows(peer):
                raise OSError("not allowed")
            self.link.flowing.wait()
            machine = connect(self.entry["target"])
        except OSError:
            reset_on_close(client)
            client.close()
            return
        for one in (client, machine):
            one.settimeout(None)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.link.add(client, machine)
        back = threading.Thread(target=pump, args=(machine, client, self.link), daemon=True)
        back.start()
        pump(client, machine, self.link)
        back.join()
        self.link.drop(client, machine)


def key(entry):
    return json.dumps([entry["address"], entry["listenPort"], entry["server"], entry["target"]], sort_keys=True)


def main():
    listeners = {}
    links = {}
    for line in sys.stdin:
        command = json.loads(line)
        try:
            if "expose" in command:
                wanted = {key(entry): entry for entry in command["expose"]}
                for name in [name for name in listeners if name not in wanted]:
                    listeners.pop(name).close()
                for name, entry in wanted.items():
                    link = links.setdefault(entry["server"], Link())
                    if name in listeners:
                        listeners[name].entry = entry
                    else:
                        listeners[name] = Listener(entry, link)
            else:
                link = links.setdefault(command["server"], Link())
                if command["link"] == "cut":
                    link.cut()
                elif command["link"] == "freeze":
                    link.flowing.clear()
                else:
                    link.flowing.set()
            answer = {"ok": True}
        except OSError as error:
            answer = {"ok": False, "error": str(error)}
        print(json.dumps(answer), flush=True)
    os._exit(0)


main()
