"""Fetches wheels from the package index that pip is configured for, resumably, and unpacks parts of them. Standard library only.

pip itself would do, but it starts a broken download from zero and, on an index without separate metadata, fetches a whole
wheel just to tell its address. One JSON request on standard input; JSON lines on standard output: progress, then done or error.
"""

import base64
import contextlib
import hashlib
import html.parser
import http.client
import json
import netrc
import os
import re
import shutil
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile

ATTEMPTS_WITHOUT_PROGRESS = 6
BLOCK = 1 << 20


class Failure(Exception):
    """An end that is told to the caller: a code and one sentence."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def tell(**line):
    print(json.dumps(line), flush=True)


class Web:
    """Opens addresses with pip's certificates, proxy, trusted hosts and credentials."""

    def __init__(self, config):
        self.timeout = float(config.get("timeout") or 30)
        context = self.certificates(config)
        proxy = config.get("proxy")
        handlers = [urllib.request.ProxyHandler({"http": proxy, "https": proxy})] if proxy else []
        self.opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), *handlers)
        lax = ssl.create_default_context()
        lax.check_hostname = False
        lax.verify_mode = ssl.CERT_NONE
        self.lax_opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=lax), *handlers)
        self.trusted = set(re.split(r"[\s,]+", (config.get("trusted-host") or "").strip())) - {""}

    @staticmethod
    def certificates(config):
        context = ssl.create_default_context()
        if config.get("cert"):
            context.load_verify_locations(config["cert"])
        elif not context.cert_store_stats()["x509_ca"] and not os.environ.get("SSL_CERT_DIR"):
            with contextlib.suppress(ImportError, OSError):  # a Python without the system's certificates: pip brings its own
                from pip._vendor import certifi

                context.load_verify_locations(certifi.where())
        return context

    def open(self, url, headers):
        parts = urllib.parse.urlsplit(url)
        login = parts.username and (parts.username, parts.password or "")
        if not login:
            with contextlib.suppress(OSError, netrc.NetrcParseError):
                entry = netrc.netrc().authenticators(parts.hostname or "")
                login = entry and (entry[0], entry[2] or "")
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2])
        request = urllib.request.Request(urllib.parse.urlunsplit(bare._replace(fragment="")), headers=headers)
        if login:
            pair = ":".join(urllib.parse.unquote(part) for part in login)
            request.add_unredirected_header("Authorization", "Basic " + base64.b64encode(pair.encode()).decode())
        lax = parts.hostname in self.trusted or parts.netloc.rpartition("@")[2] in self.trusted
        return (self.lax_opener if lax else self.opener).open(request, timeout=self.timeout)


class Links(html.parser.HTMLParser):
    """The files of a PEP 503 page."""

    def __init__(self, base):
        super().__init__()
        self.base = base
        self.files = []

    def handle_starttag(self, tag, attrs):
        href = dict(attrs).get("href") if tag == "a" else None
        if href:
            url = urllib.parse.urljoin(self.base, href)
            hash_ = re.search(r"#sha256=([0-9a-f]{64})", url)
            name = urllib.parse.unquote(urllib.parse.urlsplit(url).path.rsplit("/", 1)[-1])
            self.files.append({"filename": name, "url": url, "sha256": hash_ and hash_.group(1)})


def index_files(web, index, package):
    """What an index (PEP 691 or 503) has of a package."""
    address = index.rstrip("/") + "/" + package + "/"
    accept = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
    with web.open(address, {"Accept": accept, "User-Agent": "gradloom-setup"}) as answer:
        body = answer.read().decode("utf-8", "replace")
        base = answer.geturl()
        if "json" in (answer.headers.get("Content-Type") or ""):
            return [
                {
                    "filename": file["filename"],
                    "url": urllib.parse.urljoin(base, file["url"]),
                    "sha256": file.get("hashes", {}).get("sha256"),
                }
                for file in json.loads(body)["files"]
            ]
        links = Links(base)
        links.feed(body)
        return links.files


def local_files(folder):
    """Wheels in a folder named by pip's find-links."""
    path = urllib.request.url2pathname(urllib.parse.urlsplit(folder).path) if folder.startswith("file:") else folder
    if not os.path.isdir(path):
        return []
    return [{"filename": name, "path": os.path.join(path, name)} for name in os.listdir(path) if name.endswith(".whl")]


def find_wheel(web, request):
    """The wheel of that package and version (a version may end in .*) whose platform tag matches, newest first."""
    config = request["config"]
    package = re.sub(r"[-_.]+", "-", request["package"]).lower()
    version = re.escape(request["version"]).replace(r"\.\*", r"(\.[0-9]+)*")
    wanted = re.compile(
        "^%s-(?P<version>%s)(-[0-9][^-]*)?-(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platform>[^-]+)\\.whl$"
        % (package.replace("-", "[-_.]+"), version + r"(\+[a-z0-9.]+)?"),
        re.IGNORECASE,
    )
    platform = re.compile(request["platform"])
    files = [file for folder in (config.get("find-links") or "").split() for file in local_files(folder)]
    indexes = []
    if not config.get("no-index"):
        indexes = [config.get("index-url") or "https://pypi.org/simple"] + (config.get("extra-index-url") or "").split()
    refused = []
    for index in indexes:
        host = urllib.parse.urlsplit(index).hostname or index
        try:
            files += retry(lambda index=index: index_files(web, index, package))
        except urllib.error.HTTPError as error:
            refused.append("%s answered %d" % (host, error.code))
        except (OSError, http.client.HTTPException, ValueError) as error:
            refused.append("%s could not be reached (%s)" % (host, getattr(error, "reason", error)))
    found = []
    for file in files:
        match = wanted.match(file["filename"])
        if match and platform.search(match["platform"]) and not match["abi"].endswith("t"):
            numbers = [int(number) for number in re.findall("[0-9]+", match["version"].split("+")[0])]
            found.append(("path" in file, numbers, match["python"], file))
    if found:
        return max(found, key=lambda entry: entry[:3])[3]
    if refused:
        raise Failure("NETWORK", "%s: %s" % (package, "; ".join(refused)))
    raise Failure("NOT_FOUND", "%s %s has no wheel for this platform (%s)" % (package, request["version"], request["platform"]))


def retry(work):
    for attempt in range(3):
        try:
            return work()
        except urllib.error.HTTPError as error:
            if error.code < 500 or attempt == 2:
                raise
        except (OSError, http.client.HTTPException, ValueError):
            if attempt == 2:
                raise
        time.sleep(0.5 * 2**attempt)


def download(web, request):
    """Downloads the wheel into the folder; a .part file left by an earlier try is continued."""
    file = find_wheel(web, request)
    if "path" in file:
        tell(type="done", path=file["path"], borrowed=True, filename=file["filename"])
        return
    target = os.path.join(request["folder"], file["filename"])
    part = target + ".part"
    os.makedirs(request["folder"], exist_ok=True)
    if not os.path.exists(target):
        for again in (False, True):
            fill(web, file, part)
            if not file["sha256"] or digest(part) == file["sha256"]:
                break
            os.remove(part)
            if again:
                raise Failure("HASH", "%s arrived twice with another checksum than the index names" % file["filename"])
        os.replace(part, target)
    tell(type="done", path=target, borrowed=False, filename=file["filename"])


def fill(web, file, part):
    """Appends to the .part file until it is whole; gives up after several tries in a row that brought nothing."""
    fruitless = 0
    while True:
        have = os.path.getsize(part) if os.path.exists(part) else 0
        try:
            if append(web, file, part, have):
                return
            reason = "the connection ended early"
        except urllib.error.HTTPError as error:
            if error.code == 416:  # the part is longer than the file: not ours
                os.remove(part)
                continue
            if error.code < 500:
                raise Failure("NETWORK", "%s answered %d" % (urllib.parse.urlsplit(file["url"]).hostname, error.code)) from error
            reason = "the server answered %d" % error.code
        except (OSError, http.client.HTTPException, ValueError) as error:
            if getattr(error, "errno", None) == 28:
                raise Failure("DISK_FULL", "the disk is full") from error
            reason = str(getattr(error, "reason", error))
        grown = os.path.exists(part) and os.path.getsize(part) > have
        fruitless = 0 if grown else fruitless + 1
        if fruitless >= ATTEMPTS_WITHOUT_PROGRESS:
            raise Failure("NETWORK", "%s: %s" % (file["filename"], reason))
        time.sleep(min(8, 0.25 * 2**fruitless))


def append(web, file, part, have):
    headers = {"User-Agent": "gradloom-setup", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = "bytes=%d-" % have
    with web.open(file["url"], headers) as answer:
        if have and answer.status != 206:
            have = 0  # a server without ranges sends everything
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length else None
        with open(part, "ab" if have else "wb") as out:
            told = 0.0
            while True:
                block = answer.read(BLOCK)
                if not block:
                    break
                out.write(block)
                have += len(block)
                if have != total and time.monotonic() - told > 0.1:
                    told = time.monotonic()
                    tell(type="progress", label=file["filename"], done=have, total=total)
        if total is None or have >= total:
            tell(type="progress", label=file["filename"], done=have, total=have)
            return True
        return False


def digest(path):
    sum_ = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(BLOCK), b""):
            sum_.update(block)
    return sum_.hexdigest()


def unpack(request):
    """Writes the wheel's members that match `include` and not `exclude` under `target`, with their permissions."""
    include, exclude = re.compile(request["include"]), re.compile(request["exclude"] or r"(?!)")
    label = "unpacking " + os.path.basename(request["wheel"])
    with zipfile.ZipFile(request["wheel"]) as wheel:
        members = [
            member
            for member in wheel.infolist()
            if include.search(member.filename) and not exclude.search(member.filename) and not member.is_dir()
        ]
        total, done, told = sum(member.file_size for member in members), 0, 0.0
        root = os.path.realpath(request["target"])
        for member in members:
            path = os.path.realpath(os.path.join(root, member.filename))
            if not path.startswith(root + os.sep):
                raise Failure("FORMAT", "%s leads out of the wheel" % member.filename)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with wheel.open(member) as source, open(path, "wb") as out:
                shutil.copyfileobj(source, out, BLOCK)
            mode = member.external_attr >> 16
            if mode & 0o111:
                os.chmod(path, 0o755)
            done += member.file_size
            if done != total and time.monotonic() - told > 0.1:
                told = time.monotonic()
                tell(type="progress", label=label, done=done, total=total)
        tell(type="progress", label=label, done=total, total=total)
    tell(type="done", files=len(members), bytes=total)


def metadata(request):
    """The wheel's requirements."""
    with zipfile.ZipFile(request["wheel"]) as wheel:
        name = next(name for name in wheel.namelist() if re.match(r"[^/]+\.dist-info/METADATA$", name))
        text = wheel.read(name).decode("utf-8")
    tell(type="done", requires=re.findall(r"^Requires-Dist: (.*)$", text.split("\n\n")[0], re.MULTILINE))


def main():
    request = json.load(sys.stdin)
    try:
        if request["do"] == "download":
            download(Web(request["config"]), request)
        elif request["do"] == "unpack":
            unpack(request)
        else:
            metadata(request)
    except Failure as failure:
        tell(type="error", code=failure.code, message=str(failure))
        sys.exit(1)
    except zipfile.BadZipFile as error:
        tell(type="error", code="FORMAT", message="%s: %s" % (os.path.basename(request["wheel"]), error))
        sys.exit(1)
    except OSError as error:
        code = {28: "DISK_FULL", 13: "NOT_WRITABLE", 1: "NOT_WRITABLE", 30: "NOT_WRITABLE"}.get(error.errno, "OTHER")
        tell(type="error", code=code, message=str(error))
        sys.exit(1)


main()
