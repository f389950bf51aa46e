import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { kafkaSettings, settingsOf } from './common-settings.ts';
import { readSettings, WrongSettings } from './settings.ts';

const spec = settingsOf(Type.Object(kafkaSettings));
const read = (settings: Readonly<Record<string, string>>) => readSettings(spec, { WAYMARK_KAFKA_BROKERS: 'one:9092', ...settings });

const pem = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' }));
/** The Ed25519 key whose 32 bytes are all 7. */
const key = pem(
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
    format: 'der',
    type: 'pkcs8',
  }),
);
const otherKey = pem(generateKeyPairSync('ed25519').privateKey);
const certificate = `-----BEGIN CERTIFICATE-----
MIIBOjCB7aADAgECAhR9UfF23r3czgwUMy5Kb1sIGk3EqjAFBgMrZXAwEjEQMA4G
A1UEAwwHd2F5bWFyazAgFw0yNjExMjYxNDQ1NTdaGA8yMTI2MTEwMjE0NDU1N1ow
EjEQMA4GA1UEAwwHd2F5bWFyazAqMAUGAytlcAMhAOpKbGPinFIKvvVQexMuxfmV
R3auvr57kkIe6mkURtIso1MwUTAdBgNVHQ4EFgQUTF7OQCOgNB7irP/MTRcVSoVP
AuUwHwYDVR0jBBgwFoAUTF7OQCOgNB7irP/MTRcVSoVPAuUwDwYDVR0TAQH/BAUw
AwEB/zAFBgMrZXADQQA6CmIJLoup47ilhIAdd/VJtLpVIIX2emP26Z5dVgLBl3Rt
MmJtQnVTNN/cPtlENe/2NIO7Q83DYZdYy5aQo9ED
-----END CERTIFICATE-----`;

const user = { WAYMARK_KAFKA_USERNAME: 'user', WAYMARK_KAFKA_PASSWORD: 'hush' };
const tls = { WAYMARK_KAFKA_TLS: 'on' };
const client = { WAYMARK_KAFKA_CERTIFICATE: certificate, WAYMARK_KAFKA_CERTIFICATE_KEY: key };

describe('Credentials for Kafka', () => {
  it.each([
    {},
    user,
    { ...user, WAYMARK_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512' },
    { ...user, ...tls, WAYMARK_KAFKA_SASL_MECHANISM: 'PLAIN' },
    { ...tls, ...client },
    { ...user, ...tls, ...client },
    { WAYMARK_KAFKA_SASL_MECHANISM: 'PLAIN' },
  ])('are accepted: %j', (settings) => {
    expect(read(settings)).toMatchObject({ WAYMARK_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256', ...settings });
  });

  it.each([
    [{ WAYMARK_KAFKA_USERNAME: 'user' }, 'WAYMARK_KAFKA_PASSWORD: it must be set with WAYMARK_KAFKA_USERNAME'],
    [{ WAYMARK_KAFKA_PASSWORD: 'hush' }, 'WAYMARK_KAFKA_USERNAME: it must be set with WAYMARK_KAFKA_PASSWORD'],
    [{ ...user, WAYMARK_KAFKA_SASL_MECHANISM: 'GSSAPI' }, 'WAYMARK_KAFKA_SASL_MECHANISM: must be SCRAM-SHA-256, SCRAM-SHA-512, or PLAIN'],
    [{ ...user, WAYMARK_KAFKA_SASL_MECHANISM: 'PLAIN' }, 'WAYMARK_KAFKA_TLS: it must be on for the SASL mechanism PLAIN'],
    [{ ...tls, ...client, WAYMARK_KAFKA_CERTIFICATE_KEY: '' }, 'WAYMARK_KAFKA_CERTIFICATE_KEY: it must be set with'],
    [{ ...tls, ...client, WAYMARK_KAFKA_CERTIFICATE: '' }, 'WAYMARK_KAFKA_CERTIFICATE: it must be set with'],
    [client, 'WAYMARK_KAFKA_TLS: it must be on for WAYMARK_KAFKA_CERTIFICATE'],
    [{ ...tls, ...client, WAYMARK_KAFKA_CERTIFICATE: 'hush' }, 'WAYMARK_KAFKA_CERTIFICATE: it must be a certificate in PEM'],
    [{ ...tls, ...client, WAYMARK_KAFKA_CERTIFICATE_KEY: 'hush' }, 'WAYMARK_KAFKA_CERTIFICATE_KEY: it must be a private key in PEM'],
    [{ ...tls, ...client, WAYMARK_KAFKA_CERTIFICATE_KEY: otherKey }, 'WAYMARK_KAFKA_CERTIFICATE_KEY: it is not the key of'],
  ])('are refused without being quoted: %j', (settings, fault) => {
    const reading = () => read(settings);
    expect(reading).toThrow(WrongSettings);
    expect(reading).toThrow(fault);
    expect(reading).not.toThrow(/hush|BEGIN/);
  });
});
