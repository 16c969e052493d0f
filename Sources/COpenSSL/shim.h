#pragma once
#include <openssl/bn.h>
#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros whose values Swift cannot import.
static inline int openssl_pkey_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }
static inline int openssl_pkey_keypair(void) { return EVP_PKEY_KEYPAIR; }

// What TLS contexts of this package have in common: TLS 1.3 only, no session tickets, no resumption, no early data.
static inline int openssl_tls13_only(SSL_CTX *ctx) {
    SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_cert_list(ctx, 16384);
    SSL_CTX_set_mode(ctx, SSL_MODE_AUTO_RETRY);
    return SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) == 1
        && SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) == 1
        && SSL_CTX_set_num_tickets(ctx, 0) == 1
        && SSL_CTX_set_max_early_data(ctx, 0) == 1;
}
