//! Classes and modules that Ruby has itself. Code that opens one adds to it, and defines nothing.

use crate::skip::is_listed;

/// Names that are always defined.
const CORE: &str = "\
    Array BasicObject Binding Class Comparable Complex Data Dir Encoding Enumerable Enumerator \
    Errno Exception FalseClass Fiber File FileTest Float FrozenError GC Hash IO Integer Kernel \
    LoadError Marshal MatchData Math Method Module Mutex NameError NilClass NoMethodError \
    Numeric Object ObjectSpace Proc Process Queue Ractor Random Range Rational RefinementError \
    Regexp RubyVM RuntimeError ScriptError Signal StandardError String Struct Symbol Thread \
    ThreadGroup Time TracePoint TrueClass UnboundMethod Warning";

/// Those of the standard library, in order.
const STANDARD: &str = "\
    Abbrev Base64 BasicSocket Benchmark BigDecimal CGI CSV Coverage DRb Date DateTime Delegator \
    DidYouMean Digest ERB Etc Fcntl Fiddle FileUtils Find Forwardable Gem GetoptLong IPAddr \
    IPSocket IRB JSON Logger Matrix Monitor MonitorMixin Net Net.FTP Net.HTTP Net.IMAP Net.SMTP \
    Observable Open3 OpenSSL OpenStruct OpenURI OptionParser PP PStore Pathname Prime Psych \
    RbConfig Readline Reline Resolv Ripper SecureRandom Set Shellwords SimpleDelegator Singleton \
    Socket StringIO StringScanner Syslog TCPServer TCPSocket TSort Tempfile Timeout UDPSocket \
    UNIXServer UNIXSocket URI WeakRef YAML Zlib";

/// Whether a name is one of a class that is always there.
pub(super) fn is_core(full: &str) -> bool {
    is_listed(CORE, full)
}

/// Whether a name is one of a class of the standard library.
pub(super) fn is_standard(full: &str) -> bool {
    is_listed(STANDARD, full)
}
