"""Makes cases for `cargo xtask eval locate` from what the registries have.

    make.py OUT pypi PACKAGE...       releases of packages, one after the other
    make.py OUT debian PACKAGE...     fixes that Debian applies to a release
    make.py OUT issues FILE...        issues with their fixes, of projects that PyPI has

A package becomes a bare repository with a commit for each release, whose message is what its
changelog says about it. A release that says little and touches few source files is a case: what it
says is the text, the files it touches are right, the release before it is the revision. A fix that
Debian applies is a case as well: its description is the text.

An issue is a line of JSON, `{"id", "group", "timestamp", "text"}`: the group ends in the package, and
the text is `Task: `, what somebody reported, an empty line, `Fix applied:` and a diff. The files of the
diff are right if the newest release before that moment has them; that release is the revision.

Writes OUT/NAME.git and appends to OUT/cases.jsonl. Runs with Python alone, and git.
"""

import io
import json
import lzma
import re
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

# A release with more than this is about more than one thing.
MOST_ITEMS = 3
MOST_FILES = 3
# Texts shorter than this say nothing.
SHORTEST = 60
# So many of the newest releases are looked at.
RELEASES = 90
LARGEST = 1_000_000

TEST = re.compile(
    r"(^|/)(tests?|testing|spec|e2e)(/|$)|(^|/)(test_[^/]*|conftest|tests|[^/]*_tests?)\.py$"
)
ASIDE = re.compile(
    r"(^|/)(docs?|examples?|benchmarks?|vendor|_vendor|packages|debian|tools|scripts|ci)/"
    r"|(^|/)(setup|_?version|__about__|__version__|__pkginfo__|release|noxfile|tasks)\.py$"
)
CHANGELOG = re.compile(
    r"(^|/)(changes|changelog|history|news|whatsnew|release[-_]?notes)(\.(rst|md|txt))?$", re.I
)


def fetch(url):
    for attempt in range(3):
        try:
            with urllib.request.urlopen(url, timeout=120) as answer:
                return answer.read()
        except OSError:
            if attempt == 2:
                raise


def unpack(name, data):
    """The text files of an archive, without the folder that holds them all."""
    files = {}

    def take(path, size, read):
        path = path.split("/", 1)[-1]
        if size <= LARGEST and not re.search(r"\.(po|mo|png|gif|jpg|svg|ipynb|csv|fits)$|\.egg-info/|(^|/)\.git(/|$)", path):
            content = read()
            if b"\0" not in content[:4096]:
                files[path] = content

    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    take(entry.filename, entry.file_size, lambda: archive.read(entry))
    else:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for entry in archive:
                if entry.isfile():
                    take(entry.name, entry.size, lambda: archive.extractfile(entry).read())
    return files


def is_source(path):
    return path.endswith(".py") and not TEST.search(path) and not ASIDE.search(path)


def key(version):
    return tuple(int(part) for part in version.split("."))


def plain(content):
    """What is left of a source when its version and its blanks do not count."""
    text = content.decode("utf-8", "replace")
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not re.search(r"version|copyright|\d+\.\d+\.\d+", line, re.I)]


def changed(before, after):
    """The source files that were there before and are not what they were."""
    touched = []
    for path, content in before.items():
        if is_source(path) and after.get(path) != content:
            if path not in after or plain(after[path]) != plain(content):
                touched.append(path)
    added = [path for path in after if is_source(path) and path not in before]
    return touched, added


def section(text, version):
    """What a changelog says about a version: from its heading to the next one."""
    lines = text.splitlines()
    heading = re.compile(r"^\W*(?:[\w.-]+ )?(?:v|version |release )?" + re.escape(version) + r"(?![\d.]*\d)", re.I)
    other = re.compile(r"^(#+ .*|\W*(?:[\w-]+ )?(?:v|version |release )?)\[?\d+\.\d+(\.\d+)?\b.{0,60}$", re.I)
    for at, line in enumerate(lines):
        follows = lines[at + 1].strip() if at + 1 < len(lines) else ""
        underlined = re.fullmatch(r"([=\-~^*#])\1{2,}", follows)
        if heading.match(line) and (underlined or line.startswith("#")):
            body = []
            for next_at in range(at + (2 if underlined else 1), len(lines)):
                line = lines[next_at]
                follows = lines[next_at + 1].strip() if next_at + 1 < len(lines) else ""
                if other.match(line) and (line.startswith("#") or re.fullmatch(r"([=\-~^*#])\1{2,}", follows)):
                    break
                body.append(line)
            return "\n".join(body)
    return None


def items(text):
    """The items of a list at its outermost, or its paragraphs."""
    lines = text.splitlines()
    bullets = [re.match(r"^( *)([-*•]|#\.) +(?=\S)", line) for line in lines]
    depth = min((len(match.group(1)) for match in bullets if match), default=None)
    found, current = [], None
    for line, match in zip(lines, bullets):
        if match and len(match.group(1)) == depth:
            current = [line[match.end():]]
            found.append(current)
        elif current is not None and (not line.strip() or line.startswith(" " * (depth + 1))):
            current.append(line.strip())
        else:
            current = None
    if not found:
        paragraphs = [part.strip() for part in re.split(r"\n\s*\n", text)]
        is_prose = lambda part: len(part) >= SHORTEST and not re.match(r"^(\.\.|[=\-~^]{3})", part)
        found = [[part] for part in paragraphs if is_prose(part)]
    return [" ".join(" ".join(lines).split()) for lines in found]


def said(files, newest, version):
    for source in (files, newest):
        notes = source.get(f"docs/releases/{version}.txt")
        if notes:
            return items(notes.decode("utf-8", "replace"))
        for path in sorted(source, key=lambda path: (path.count("/"), path)):
            if CHANGELOG.search(path):
                found = section(source[path].decode("utf-8", "replace"), version)
                if found is not None:
                    return items(found)
    return None


class Repository:
    """A bare repository that is written with one run of `git fast-import`."""

    def __init__(self, path):
        subprocess.run(["git", "init", "--quiet", "--bare", str(path)], check=True)
        self.git = subprocess.Popen(
            ["git", "-C", str(path), "fast-import", "--quiet"], stdin=subprocess.PIPE
        )
        self.path, self.marks, self.commits, self.next = path, {}, 0, 1

    def data(self, content):
        self.git.stdin.write(b"data %d\n" % len(content) + content + b"\n")

    def commit(self, files, message):
        for content in files.values():
            if content not in self.marks:
                self.marks[content] = self.next
                self.git.stdin.write(b"blob\nmark :%d\n" % self.next)
                self.data(content)
                self.next += 1
        mark, self.next = self.next, self.next + 1
        self.commits += 1
        write = self.git.stdin.write
        write(b"commit refs/heads/main\nmark :%d\n" % mark)
        write(b"committer A <a@example.invalid> %d +0000\n" % (1_500_000_000 + self.commits * 86_400))
        self.data(message.encode())
        write(b"deleteall\n")
        for path, content in sorted(files.items()):
            if '"' not in path and "\n" not in path:
                write(b"M 100644 :%d %s\n" % (self.marks[content], path.encode()))
        write(b"\n")
        return mark

    def finish(self):
        """The names of the commits, the oldest first."""
        self.git.stdin.close()
        if self.git.wait() != 0:
            raise RuntimeError(f"git fast-import failed in {self.path}")
        listed = subprocess.run(
            ["git", "-C", str(self.path), "rev-list", "--reverse", "main"],
            check=True, capture_output=True, text=True,
        )
        return listed.stdout.split()


def append(out, cases):
    with open(out / "cases.jsonl", "a", encoding="utf-8") as file:
        for case in cases:
            file.write(json.dumps(case, ensure_ascii=False) + "\n")


def sdists(package):
    """The releases of a package that have sources: version, name, address and moment, oldest first."""
    base = f"https://pypi.org/pypi/{package}/json"
    releases = json.loads(fetch(base))["releases"]
    numbered = [version for version in releases if re.fullmatch(r"\d+(\.\d+){1,3}", version)]
    found = []
    for version in sorted(numbered, key=key):
        files = [file for file in releases[version] if file["packagetype"] == "sdist"]
        files = [file for file in files if file["filename"].endswith((".tar.gz", ".zip", ".tar.bz2"))]
        if files:
            address = urllib.parse.urljoin(base, files[0]["url"])
            moment = datetime.fromisoformat(files[0]["upload_time_iso_8601"].replace("Z", "+00:00"))
            found.append((version, files[0]["filename"], address, moment))
    return found


def pypi(out, package):
    chosen = sdists(package)[-RELEASES:]
    if not chosen:
        return 0, 0

    def load(one):
        try:
            return unpack(one[1], fetch(one[2]))
        except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile):
            return None

    newest = load(chosen[-1]) or {}
    repository = Repository(out / f"{package}.git")
    found, before = [], None
    with ThreadPoolExecutor(2) as pool:
        for batch in (chosen[at:at + 4] for at in range(0, len(chosen), 4)):
            for (version, *_), files in zip(batch, pool.map(load, batch)):
                if not files:
                    continue
                told = said(files, newest, version) or []
                text = "\n\n".join(told)
                if before is not None and 1 <= len(told) <= MOST_ITEMS and SHORTEST <= len(text):
                    touched, added = changed(before, files)
                    if 1 <= len(touched) <= MOST_FILES and not added:
                        found.append((repository.commits - 1, version, text, touched))
                repository.commit(files, f"Release {version}\n\n{text}")
                before = files
    names = repository.finish()
    append(out, [
        {"id": f"{package}-{version}", "repository": f"{package}.git", "revision": names[at],
         "text": text, "files": sorted(touched)}
        for at, version, text, touched in found
    ])
    return len(chosen), len(found)


def issues(out, file):
    by_package = {}
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        issue = json.loads(line)
        text, _, fix = issue["text"].partition("\n\nFix applied:\n")
        files = sorted(set(re.findall(r"^diff --git a/(\S+)", fix, re.M)))
        if files and issue["timestamp"]:
            told = text.removeprefix("Task: ").replace("\r\n", "\n")
            moment = datetime.fromisoformat(issue["timestamp"].replace("Z", "+00:00"))
            package = issue["group"].rsplit("/", 1)[-1]
            by_package.setdefault(package, []).append((moment, issue["id"], told, files))
    total = 0
    for package, reported in by_package.items():
        releases = sorted(sdists(package), key=lambda release: release[3])
        repository, found, at = Repository(out / f"{package}.git"), [], None
        for moment, name, text, right in sorted(reported):
            before = [release for release in releases if release[3] < moment]
            if not before:
                continue
            if at != before[-1]:
                at = before[-1]
                files = unpack(at[1], fetch(at[2]))
                repository.commit(files, f"Release {at[0]}")
            if all(path in files for path in right):
                found.append((repository.commits - 1, name, text, right))
        names = repository.finish()
        append(out, [
            {"id": name, "repository": f"{package}.git", "revision": names[at], "text": text, "files": right}
            for at, name, text, right in found
        ])
        print(f"{package}: {len(found)} of {len(reported)} issues", flush=True)
        total += len(found)
    return total


SUITES = [("debian", suite) for suite in ("bullseye", "bookworm", "trixie")] + [
    ("debian-security", suite + "-security") for suite in ("bullseye", "bookworm")
]


def sources(packages):
    """Every version of the packages that Debian has: where, the name of its changes and of its source."""
    found = {}
    for base, suite in SUITES:
        index = f"http://deb.debian.org/{base}/dists/{suite}/main/source/Sources.xz"
        for paragraph in lzma.decompress(fetch(index)).decode("utf-8", "replace").split("\n\n"):
            name = re.search(r"^Package: (.*)$", paragraph, re.M)
            folder = re.search(r"^Directory: (.*)$", paragraph, re.M)
            if name and folder and name.group(1) in packages:
                ours = re.search(r" (\S+\.debian\.tar\.\w+)$", paragraph, re.M)
                theirs = re.search(r" (\S+\.orig\.tar\.(?:gz|xz|bz2))$", paragraph, re.M)
                if ours and theirs:
                    place = f"http://deb.debian.org/{base}/{folder.group(1)}/"
                    found[ours.group(1)] = (name.group(1), place, ours.group(1), theirs.group(1))
    return sorted(found.values())


def described(head):
    """What a fix says about itself, without who wrote and who carried it."""
    lines, kept = head.splitlines(), []
    for at, line in enumerate(lines):
        if re.match(r"^(---|diff |Index: |=====)", line):
            break
        field = re.match(r"^(Subject|Description): *(.*)$", line)
        if field:
            kept.append(re.sub(r"^\[[^]]*\] *", "", field.group(2)))
        elif not re.match(r"^(From |[A-Z][A-Za-z-]+: |\(cherry|Backport|Thanks )", line):
            kept.append(line.strip() if line.strip() != "." else "")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def debian(out, packages):
    seen, repositories, total = set(), {}, 0
    for package, place, ours, theirs in sources(packages):
        try:
            fixes = tarfile.open(fileobj=io.BytesIO(fetch(place + ours)))
        except OSError:
            continue
        cases = []
        for entry in fixes:
            if not entry.isfile() or "/patches/" not in entry.name or entry.name.endswith("series"):
                continue
            text = fixes.extractfile(entry).read().decode("utf-8", "replace")
            start = re.search(r"^--- \S", text, re.M)
            if not start:
                continue
            paths = set(re.findall(r"^(?:---|\+\+\+) [^/\s]+/(\S+)", text[start.start():], re.M))
            right = sorted(path for path in paths if is_source(path))
            about = described(text[:start.start()])
            # Who changes a test as well fixes the program; the others fit it to Debian.
            proved = any(TEST.search(path) for path in paths) or re.search(
                r"^(Origin:.*(upstream|backport|http)|Applied-Upstream:|Bug: *http)", text, re.M | re.I
            )
            title = about.splitlines()[0] if about else ""
            if proved and 1 <= len(right) <= MOST_FILES and len(about) >= SHORTEST:
                if (package, title, tuple(right)) not in seen:
                    seen.add((package, title, tuple(right)))
                    cases.append((Path(entry.name).stem, about, right))
        if not cases:
            continue
        if theirs not in repositories:
            try:
                files = unpack(theirs, fetch(place + theirs))
            except (OSError, tarfile.TarError):
                continue
            name = re.sub(r"\.orig\..*", "", theirs) + ".git"
            repository = Repository(out / name)
            repository.commit(files, "Release")
            repositories[theirs] = (name, repository.finish()[0], files)
        name, revision, files = repositories[theirs]
        whole = [
            {"id": f"{package}-{fix}", "repository": name, "revision": revision, "text": about, "files": right}
            for fix, about, right in cases if all(path in files for path in right)
        ]
        append(out, whole)
        total += len(whole)
    return total


def main():
    out, kind, packages = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    out.mkdir(parents=True, exist_ok=True)
    if kind == "issues":
        print(f"{sum(issues(out, file) for file in packages)} cases", flush=True)
        return
    if kind == "debian":
        print(f"{debian(out, set(packages))} cases", flush=True)
        return
    for package in packages:
        if (out / f"{package}.git").exists():
            print(f"{package}: is there", flush=True)
            continue
        releases, cases = pypi(out, package)
        print(f"{package}: {releases} releases, {cases} cases", flush=True)


if __name__ == "__main__":
    main()
