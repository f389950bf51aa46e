import { Type } from '@sinclair/typebox';

/** Settings of a notary. */
export const notarySettings = {
  WAYMARK_NOTARY_KEY: Type.String({
    default: '',
    pattern: '^([A-Za-z0-9+/]{43}=(,[A-Za-z0-9+/]{43}=)?)?$',
    description:
      'Private key that checkpoints are signed with: base64 of 32 random bytes; to change it, once: the new one, a comma, the old one. Secret',
  }),
  WAYMARK_NOTARY_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 86_400,
    description: 'Seconds between two checkpoints; none is signed where nothing has changed',
  }),
  WAYMARK_CHECKPOINTS_TO: Type.String({
    default: '',
    pattern: '^$|^(/|file:///|https?://|s3\\+https?://)',
    description:
      'Where each checkpoint is published: a directory that exists, https://user:password@host/path, or s3+https://key:secret@host/bucket/prefix; empty: nowhere. Secret',
  }),
} as const;

/** Settings of processes that compare the log with the checkpoints of a notary. */
export const verifierSettings = {
  WAYMARK_CHECKPOINTS_TO: notarySettings.WAYMARK_CHECKPOINTS_TO,
  WAYMARK_NOTARY_PUBLIC_KEY: Type.String({
    default: '',
    pattern: '^$|^\\s*[^,+\\s]+\\+[0-9a-f]{8}\\+[A-Za-z0-9+/]+=*\\s*(,\\s*[^,+\\s]+\\+[0-9a-f]{8}\\+[A-Za-z0-9+/]+=*\\s*)*$',
    description: 'Public keys of the notary that waymark verify trusts, separated by commas; empty: those that the notary itself reports',
  }),
} as const;
