#!/usr/bin/env python3
"""Verifies exports of Waymark's audit API offline: a second implementation of docs/internals/proofs.md. It needs only Python 3.9 and its
standard library, and trusts only the given public keys. Usage: verify_export.py KEYS EXPORT...   (KEYS: a file with one key on each line)
It prints one line of JSON for each export: the file, whether it is sound, and the findings. The exit code is 5 if one is not sound."""
import base64, hashlib, json, re, sys

FINDINGS_MAX, LINE_BYTES_MAX, FORMAT = 100, 20 * 1024 * 1024, "waymark-audit-export-1"
ROOT, EVENT = {"checkpoint", "size", "root", "index", "path"}, {"stream", "revision", "envelope", "salt", "content"}
TEXTS = ("id", "type", "account", "actor", "correlation", "time", "release", "commitment")
TEXTS_OR_NULL = ("token", "request", "cause")

class Invalid(Exception):
    """A finding after which the verification ends."""

def need(condition, finding="It is no line of an export."):
    if not condition:
        raise Invalid(finding)

def sha256(*data):
    return hashlib.sha256(b"".join(data)).digest()

# Ed25519 (RFC 8032, 5.1). Points are (X, Y, Z, T) in extended coordinates.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

def add(one, other):
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)

def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        result, point, scalar = add(result, point) if scalar & 1 else result, add(point, point), scalar >> 1
    return result

def decode_point(data):
    y, sign = int.from_bytes(data, "little") & (2**255 - 1), data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    need(y < P and (x * x - square) % P == 0 and not (x == 0 and sign), "A key is no point of the curve.")
    return (x, y, 1, x * y % P) if x & 1 == sign else (P - x, y, 1, (P - x) * y % P)

BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))

def is_signature(key, text, signature):
    s = int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % L
    x, y, z, t = decode_point(key)
    x, y, z, _ = add(times(s % L, BASE), times(k, (P - x, y, z, P - t)))
    x, y = x * pow(z, P - 2, P) % P, y * pow(z, P - 2, P) % P
    return len(signature) == 64 and s < L and (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]

# Canonical JSON (RFC 8785). Numbers that are not whole, or too large, are refused: no release has written any.
def canonical(value):
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(canonical(name) + ":" + canonical(member) for name, member in pairs(value)) + "}"
    need(not isinstance(value, (int, float)) or isinstance(value, int) and abs(value) < 2**53)
    return re.sub("[\ud800-\udfff]", lambda found: "\\u%04x" % ord(found.group()), json.dumps(value, ensure_ascii=False))

def pairs(members):
    return sorted(map(list, members.items()), key=lambda pair: pair[0].encode("utf-16-be", "surrogatepass"))

def parse_line(data):
    line = data.removesuffix(b"\n").decode("utf-8")
    value = json.loads(line)
    need(isinstance(value, dict) and canonical(value) == line)
    return value

def whole(value):
    return type(value) is int and value >= 0

def from_base64(text, length=None):
    data = base64.b64decode(text)
    need(base64.b64encode(data).decode() == text and length in (None, len(data)), "A value is no base64, or has the wrong length.")
    return data

def hashes(values):
    need(isinstance(values, list))
    return [from_base64(value, 32) for value in values]

# The Merkle tree (RFC 6962)
def node_hash(left, right):
    return sha256(b"\1", left, right)

def path_to(leaf_or_size, size, is_found):
    """Walks down from the root. Returns for each node, upwards, whether its left child was taken, and where the last node begins."""
    start, end, is_left = 0, size, []
    while not is_found(start, end):
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        is_left.append(leaf_or_size < middle)
        start, end = (start, middle) if is_left[-1] else (middle, end)
    return is_left[::-1], start

def has_leaf(leaf, index, size, root, proof):
    is_left, _ = path_to(index, size, lambda start, end: end - start <= 1)
    for left, other in zip(is_left, proof):
        leaf = node_hash(leaf, other) if left else node_hash(other, leaf)
    return index < size and len(is_left) == len(proof) and leaf == root

def is_beginning(before, before_root, size, root, proof):
    if not 0 < before <= size:
        return False
    is_left, start = path_to(before - 1, size, lambda start, end: end <= before)
    proof = proof if start > 0 else [before_root] + proof
    old = new = proof[0] if proof else b""
    for left, other in zip(is_left, proof[1:]):
        old, new = (old, node_hash(new, other)) if left else (node_hash(other, old), node_hash(other, new))
    return len(is_left) == len(proof) - 1 and (old, new) == (before_root, root)

# Signed notes and checkpoints (C2SP)
def parse_key(text):
    found = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+(\S+)", text)
    need(found, "A key is malformed.")
    data = from_base64(found[3], 33)
    need(data[0] == 1 and sha256(found[1].encode() + b"\n" + data)[:4].hex() == found[2], "A key is malformed.")
    return found[1], bytes.fromhex(found[2]), data[1:]

def open_checkpoint(note, keys, place):
    text, separator, lines = note.rpartition("\n\n")
    text, signer = text + "\n", None
    need(separator and lines.endswith("\n") and not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", note), place + " is no signed note.")
    for line in lines[:-1].split("\n"):
        found = re.fullmatch(r"— ([^\s+]+) (\S+)", line)
        need(found, place + " has a malformed signature line.")
        data = from_base64(found[2])
        for name, _, key in (one for one in keys if one[:2] == (found[1], data[:4])):
            need(is_signature(key, text.encode(), data[4:]), place + " has a wrong signature.")
            signer = signer or name
    need(signer is not None, place + " is signed by no trusted key.")
    origin, size, root, *lines = text[:-1].split("\n")
    extensions = dict(line.split(" ", 1) for line in lines)
    need(re.fullmatch("0|[1-9][0-9]*", size) and len(extensions) == len(lines), place + " is malformed.")
    key = extensions.get("key") and parse_key(extensions["key"])
    need(origin.startswith(signer + "/") and (not key or key[0] == signer), place + " is signed by the key of another installation.")
    return {"size": int(size), "root": from_base64(root, 32), "key": key}

# Exports
def parse_root(value, *more):
    need(set(value) == ROOT.union(more) and whole(value["size"]) and whole(value["index"]))
    return {**value, "hash": from_base64(value["root"], 32), "path": hashes(value["path"])}

def parse_event(data, is_object):
    event = parse_line(data)
    envelope, salt, content = event["envelope"], event["salt"], event["content"]
    optional = [text for text in (salt, content, *(envelope[name] for name in TEXTS_OR_NULL)) if text is not None]
    texts = [event["stream"], *optional, *(envelope[name] for name in TEXTS)]
    need(set(event) == EVENT.union(("index", "path") if is_object else ()) and all(isinstance(text, str) for text in texts))
    need(whole(event["revision"]) and whole(envelope["version"]) and isinstance(envelope["sanitized"], bool))
    if salt is not None:
        event["salt"] = base64.urlsafe_b64decode(salt + "=" * (-len(salt) % 4))
        need(len(event["salt"]) == 16 and base64.urlsafe_b64encode(event["salt"]).decode().rstrip("=") == salt)
    event["content"] = None if content is None else content.encode()
    event["path"] = hashes(event["path"]) if is_object and whole(event["index"]) else []
    return event

class Export:
    def __init__(self, header, trusted):
        need(" ".join(sorted(header)) == "account announcements earlier format head object" and header["format"] == FORMAT)
        need(isinstance(header["account"], str) and isinstance(header["announcements"], list) and isinstance(header["earlier"], list))
        self.account, self.object, self.head, keys = header["account"], header["object"], parse_root(header["head"]), list(trusted)
        self.findings, self.tree, self.size, self.last, self.revisions, self.erased = [], [], 0, -1, {}, {}
        for number, note in enumerate(header["announcements"], 1):
            keys.append(open_checkpoint(note, keys, f"Announcement {number}")["key"] or parse_key(""))
        roots = [(parse_root(one, "consistency"), hashes(one["consistency"])) for one in header["earlier"]]
        for number, (root, consistency) in enumerate([*roots, (self.head, [])], 1):
            checkpoint = open_checkpoint(root["checkpoint"], keys, f"Checkpoint {number}")
            leaf = sha256(b"\0", canonical([self.account, root["size"], root["root"]]).encode())
            is_covered = has_leaf(leaf, root["index"], checkpoint["size"], checkpoint["root"], root["path"])
            need(is_covered, f"Checkpoint {number} does not cover the account with this size and root.")
            is_same = is_beginning(root["size"], root["hash"], self.head["size"], self.head["hash"], consistency)
            need(is_same, f"Checkpoint {number} covers a history that is not the beginning of the exported one.")

    def check(self, condition, finding):
        self.findings += [] if condition or len(self.findings) == FINDINGS_MAX else [finding]

    def add(self, event):
        stream, revision, envelope, salt, content = (event[name] for name in ("stream", "revision", "envelope", "salt", "content"))
        place, properties = f"{stream}, revision {revision}", pairs(envelope)
        self.check(envelope["account"] == self.account, f"{place}: it belongs to another account.")
        self.check(self.object in (None, stream), f"{place}: it is no event of {self.object}.")
        self.check(revision == self.revisions.get(stream, -1) + 1, f"{place}: it does not follow the revision before it.")
        self.check((salt is None) == (content is None), f"{place}: of salt and content only one is there.")
        if salt is not None and content is not None:
            commitment = base64.urlsafe_b64encode(sha256(salt + content)).decode().rstrip("=")
            self.check(commitment == envelope["commitment"], f"{place}: the content does not match its commitment.")
        self.revisions[stream] = revision
        self.add_leaf(sha256(b"\0", canonical([stream, revision, properties]).encode()), event, place)
        self.check_erasure(event, properties, place)

    def add_leaf(self, leaf, event, place):
        if self.object is None:
            index, self.size = self.size, self.size + 1
            while index & 1:
                leaf, index = node_hash(self.tree.pop(), leaf), index >> 1
            self.tree.append(leaf)
        else:
            self.check(event["index"] > self.last, f"{place}: it precedes the event before it in the account's order.")
            self.last = event["index"]
            is_proven = has_leaf(leaf, self.last, self.head["size"], self.head["hash"], event["path"])
            self.check(is_proven, f"{place}: its proof does not show that it is in the account's history.")

    def check_erasure(self, event, properties, place):
        stream, revision, content = event["stream"], event["revision"], event["content"]
        count, digest = self.erased.get(stream, (0, hashlib.sha256()))
        if stream.startswith(("application-", "account-")):
            return
        if content is None:
            self.check(count == revision, f"{place}: the content is missing, but not that of every earlier event.")
            if count == revision:
                digest.update((canonical([revision, properties]) + "\n").encode())
                self.erased[stream] = (count + 1, digest)
        elif count > 0 and event["envelope"]["type"].endswith("Redacted"):
            fact, erased = json.loads(content), ({"count": count, "digest": digest.hexdigest()}, count)
            is_match = (fact.get("summary"), fact.get("restatedFrom", revision)) == erased
            self.check(is_match, f"{place}: its summary does not match the erased events before it.")
            del self.erased[stream]

    def end(self):
        root = self.tree.pop() if self.tree else None
        while self.tree:
            root = node_hash(self.tree.pop(), root)
        is_all = (self.size, root) == (self.head["size"], self.head["hash"]) if self.object is None else self.last >= 0
        self.check(is_all, "The events are not those that the checkpoint covers.")
        for stream, (count, _) in self.erased.items():
            self.check(False, f"{stream}: {count} contents are missing, and no later event records an erasure.")
        return self.findings

def verify(file, keys):
    with open(file, "rb") as lines:
        place = "The header"
        try:
            export = Export(parse_line(lines.readline(LINE_BYTES_MAX)), keys)
            for number, line in enumerate(iter(lambda: lines.readline(LINE_BYTES_MAX), b""), 2):
                place = f"Line {number}"
                export.add(parse_event(line, export.object is not None))
            return export.end()
        except Invalid as invalid:
            return [f"{place}: {invalid}"]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return [f"{place}: It is no line of an export."]

if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as given:
        given_keys = [parse_key(line.strip()) for line in given if line.strip()]
    results = [{"file": name, "findings": verify(name, given_keys)} for name in sys.argv[2:]]
    print("\n".join(json.dumps({**result, "sound": not result["findings"]}) for result in results))
    sys.exit(5 if any(result["findings"] for result in results) else 0)
