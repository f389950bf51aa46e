import { Type } from '@sinclair/typebox';
import {
  apiSettings,
  eventStoreSettings,
  kafkaSettings,
  mediaSettings,
  mongoSettings,
  operatorTokenSettings,
  processSettings,
  redisSettings,
  refusalsSettings,
  requestIdSettings,
  settingsOf,
  signingSettings,
  waitSettings,
} from '@waymark/runtime/common-settings.ts';
import { verifierSettings } from '@waymark/runtime/notary-settings.ts';
import { splitList } from '@waymark/runtime/settings.ts';

type Tokens = { readonly WAYMARK_OPS_TOKEN: string; readonly WAYMARK_STATUS_TOKEN: string };

/** Every process of a cluster has the status token. It must not open the operations. */
const sharedTokenFaults = ({ WAYMARK_OPS_TOKEN, WAYMARK_STATUS_TOKEN }: Tokens): readonly string[] => {
  const operators = splitList(WAYMARK_OPS_TOKEN);
  return splitList(WAYMARK_STATUS_TOKEN).some((token) => operators.includes(token))
    ? ['WAYMARK_STATUS_TOKEN: must differ from WAYMARK_OPS_TOKEN, which only the operator service may have']
    : [];
};

/** The settings of the operator service. */
export const operatorSettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...eventStoreSettings,
    ...kafkaSettings,
    ...mongoSettings,
    ...redisSettings,
    ...signingSettings,
    ...mediaSettings,
    ...waitSettings,
    ...refusalsSettings,
    ...requestIdSettings,
    ...verifierSettings,
    ...operatorTokenSettings,
    WAYMARK_PUBLIC_URL: apiSettings.WAYMARK_PUBLIC_URL,
    WAYMARK_SERVICES: Type.String({
      default: '',
      pattern: '^([\\w-]+=https?://[^,]+(,(?!$)|$))*$',
      description: 'The processes of the cluster, each with the base URL of its operator port: name=http://host:port, separated by commas',
    }),
  }),
  sharedTokenFaults,
);
