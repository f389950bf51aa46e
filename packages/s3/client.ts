import { S3Client } from '@aws-sdk/client-s3';
import type { S3Location } from './location.ts';

export type S3ClientOptions = {
  /** Connections to the store at a time. */
  readonly connectionsMax: number;
  /** Authorities to trust, in PEM, instead of those of the system. */
  readonly ca?: string | undefined;
};

/** Creates a client for a bucket. It writes nothing to the console. */
export const createS3Client = ({ endpoint, key, region = 'us-east-1' }: S3Location, { connectionsMax, ca }: S3ClientOptions): S3Client => {
  const agent = { maxSockets: connectionsMax, keepAlive: true };
  return new S3Client({
    endpoint,
    region,
    ...(key && { credentials: { accessKeyId: key.access, secretAccessKey: key.secret } }),
    forcePathStyle: true,
    // Compatible stores do not support trailers with checksums, and some do not support `Expect: 100-continue`. They do support
    // Content-MD5.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    requestHandler: { httpAgent: agent, httpsAgent: { ...agent, ...(ca === undefined ? {} : { ca }) }, logger: silent },
    logger: silent,
  });
};

/** Silences the library, whose warnings would go to the console. */
const nothing = (): void => undefined;
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
