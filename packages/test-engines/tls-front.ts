import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';

/** TLS on the loopback interface in front of an engine, with a certificate of its own. */
export type TlsFront = {
  readonly port: number;
  /** The certificate to trust, in PEM. */
  readonly ca: string;
  readonly close: () => void;
};

/** Accepts TLS connections and forwards their content in plain text. So engines without TLS are tested over TLS like the others. Needs
 * `openssl`. */
export const openTlsFront = async (host: string, port: number): Promise<TlsFront> => {
  const { cert, key } = certificate();
  const server = createServer({ cert, key }, (secure) => {
    const plain = connect(port, host);
    secure.on('error', () => plain.destroy());
    plain.on('error', () => secure.destroy());
    secure.pipe(plain).pipe(secure);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, ca: cert, close: () => void server.close() };
};

const certificate = (): { readonly cert: string; readonly key: string } => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-tls-'));
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  try {
    const request = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
    ];
    execFileSync('openssl', [...request, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', keyFile, '-out', certFile], {
      stdio: 'ignore',
    });
    return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
};
