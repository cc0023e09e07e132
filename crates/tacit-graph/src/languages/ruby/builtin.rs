//! Built-in classes and modules of Ruby. Code that opens one adds to it, but does not define it.

use crate::skip::is_listed;

/// Classes that are always loaded.
const CORE: &str = "\
    Array BasicObject Binding Class Comparable Complex Data Dir Encoding Enumerable Enumerator \
    Errno Exception FalseClass Fiber File FileTest Float FrozenError GC Hash IO Integer Kernel \
    LoadError Marshal MatchData Math Method Module Mutex NameError NilClass NoMethodError \
    Numeric Object ObjectSpace Proc Process Queue Ractor Random Range Rational RefinementError \
    Regexp RubyVM RuntimeError ScriptError Signal StandardError String Struct Symbol Thread \
    ThreadGroup Time TracePoint TrueClass UnboundMethod Warning";

/// Classes of the standard library, sorted.
const STANDARD: &str = "\
    Abbrev Base64 BasicSocket Benchmark BigDecimal CGI CSV Coverage DRb Date DateTime Delegator \
    DidYouMean Digest ERB Etc Fcntl Fiddle FileUtils Find Forwardable Gem GetoptLong IPAddr \
    IPSocket IRB JSON Logger Matrix Monitor MonitorMixin Net Net.FTP Net.HTTP Net.IMAP Net.SMTP \
    Observable Open3 OpenSSL OpenStruct OpenURI OptionParser PP PStore Pathname Prime Psych \
    RbConfig Readline Reline Resolv Ripper SecureRandom Set Shellwords SimpleDelegator Singleton \
    Socket StringIO StringScanner Syslog TCPServer TCPSocket TSort Tempfile Timeout UDPSocket \
    UNIXServer UNIXSocket URI WeakRef YAML Zlib";

/// Returns true for a class that is always loaded.
pub(super) fn is_core(full: &str) -> bool {
    is_listed(CORE, full)
}

/// Returns true for a class of the standard library.
pub(super) fn is_standard(full: &str) -> bool {
    is_listed(STANDARD, full)
}
