import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { TObject } from '@sinclair/typebox';
import type { SettingsSpec } from './settings.ts';

type Faults = NonNullable<SettingsSpec<TObject>['faults']>;

/** Returns the errors in the credentials for Kafka that a schema cannot express. No error quotes a value. */
export const kafkaCredentialFaults: Faults = (settings) => {
  const textOf = (name: string): string => String(settings[`WAYMARK_KAFKA_${name}`] ?? '');
  const together = (one: string, other: string): readonly string[] =>
    textOf(one) !== '' && textOf(other) === '' ? [`WAYMARK_KAFKA_${other}: it must be set with WAYMARK_KAFKA_${one}`] : [];
  const incomplete = [
    ...together('USERNAME', 'PASSWORD'),
    ...together('PASSWORD', 'USERNAME'),
    ...together('CERTIFICATE', 'CERTIFICATE_KEY'),
    ...together('CERTIFICATE_KEY', 'CERTIFICATE'),
  ];
  if (incomplete.length > 0) return incomplete;
  const isEncrypted = textOf('TLS') === 'on';
  const [certificate, key] = [textOf('CERTIFICATE'), textOf('CERTIFICATE_KEY')];
  return [
    ...(textOf('USERNAME') !== '' && textOf('SASL_MECHANISM') === 'PLAIN' && !isEncrypted
      ? ['WAYMARK_KAFKA_TLS: it must be on for the SASL mechanism PLAIN, which sends the password itself']
      : []),
    ...(certificate !== '' && !isEncrypted ? ['WAYMARK_KAFKA_TLS: it must be on for WAYMARK_KAFKA_CERTIFICATE'] : []),
    ...(certificate === '' ? [] : certificateFaults(certificate, key)),
  ];
};

/** The libraries would repeat the error at each connection, as if Kafka was unavailable. */
const certificateFaults = (certificate: string, key: string): readonly string[] => {
  const parsed = { certificate: parsedBy(() => new X509Certificate(certificate)), key: parsedBy(() => createPrivateKey(key)) };
  if (parsed.certificate === undefined) return ['WAYMARK_KAFKA_CERTIFICATE: it must be a certificate in PEM'];
  if (parsed.key === undefined) return ['WAYMARK_KAFKA_CERTIFICATE_KEY: it must be a private key in PEM, without a passphrase'];
  return parsed.certificate.checkPrivateKey(parsed.key)
    ? []
    : ['WAYMARK_KAFKA_CERTIFICATE_KEY: it is not the key of WAYMARK_KAFKA_CERTIFICATE'];
};

const parsedBy = <Parsed>(parse: () => Parsed): Parsed | undefined => {
  try {
    return parse();
  } catch {
    return undefined;
  }
};
