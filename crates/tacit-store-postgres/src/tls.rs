//! Encryption of connections: rustls with *ring*, and the modes of libpq.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::settings::{ServerUrl, SettingsError, SslMode};

/// The most bytes of a file with certificates.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Returns the encryption for connections to a server. A file with certificates is trusted alone; without
/// one, the authorities that browsers trust are.
pub(crate) fn connector(url: &ServerUrl) -> Result<MakeRustlsConnect, SettingsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| SettingsError::System(error.to_string()))?;
    // With a file of certificates, libpq checks the server even in the mode `require`.
    let verified = match url.ssl_mode() {
        SslMode::VerifyFull => true,
        SslMode::Require => url.ssl_root_cert.is_some(),
        SslMode::Disable | SslMode::Prefer => false,
    };
    let config = if verified {
        builder.with_root_certificates(roots(url)?).with_no_client_auth()
    } else {
        let anyone = Arc::new(AnyServer(provider));
        builder.dangerous().with_custom_certificate_verifier(anyone).with_no_client_auth()
    };
    Ok(MakeRustlsConnect::new(config))
}

fn roots(url: &ServerUrl) -> Result<RootCertStore, SettingsError> {
    let mut store = RootCertStore::empty();
    let Some(path) = &url.ssl_root_cert else {
        store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(store);
    };
    let fail = |source| SettingsError::File { path: path.clone(), source };
    let pem = tacit_fs::read_following(path, LARGEST).map_err(fail)?;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let added = certificate.map(|certificate| store.add(certificate));
        if !matches!(added, Ok(Ok(()))) {
            return Err(SettingsError::NoCertificate(path.clone()));
        }
    }
    if store.is_empty() {
        return Err(SettingsError::NoCertificate(path.clone()));
    }
    Ok(store)
}

/// Accepts every server, for the modes of libpq that encrypt without checking who answers. Signatures are
/// still checked, so nobody in between can join a handshake with the server.
#[derive(Debug)]
struct AnyServer(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
