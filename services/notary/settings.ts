import { Type } from '@sinclair/typebox';
import { eventStoreSettings, mongoSettings, processSettings, settingsOf } from '@waymark/runtime/common-settings.ts';
import { notarySettings } from '@waymark/runtime/notary-settings.ts';

/** The settings of a notary of a cluster. */
export const notaryProcessSettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...eventStoreSettings,
    ...mongoSettings,
    ...notarySettings,
    WAYMARK_NOTARY_DIR: Type.String({
      minLength: 1,
      description: "The notary's own directory: durable, and outside the event store",
    }),
  }),
);
