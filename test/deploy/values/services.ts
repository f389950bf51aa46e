import type { TObject } from '@sinclair/typebox';
import { auditorSettings } from '@waymark/auditor/settings.ts';
import { authSettings } from '@waymark/auth/settings.ts';
import { commandsSettings } from '@waymark/commands/settings.ts';
import { edgeSettings } from '@waymark/edge/settings.ts';
import { notaryProcessSettings } from '@waymark/notary/settings.ts';
import { operatorSettings } from '@waymark/operator/settings.ts';
import { projectorSettings } from '@waymark/projector/settings.ts';
import { gatewaySettings } from '@waymark/query-gateway/settings.ts';
import { relaySettings } from '@waymark/relay/settings.ts';
import { secretSettings, settingsSchema } from '@waymark/standalone/settings.ts';

/** A service of the chart: its argument to `waymark`, and the settings that it reads. */
export type ChartService = {
  readonly name: string;
  readonly schema: TObject;
  readonly secrets: readonly string[];
  /** The bounds of its number of pods. Undefined: there is always one. */
  readonly replicasMax?: number;
  readonly isAutoscaled?: boolean;
};

/** More pods than a projection has partitions have nothing to do. */
const projectorsMax = 12;
const replicasMax = 1_000;
const answering = { replicasMax, isAutoscaled: true };

/** The services, by the names of their values. */
export const chartServices: Readonly<Record<string, ChartService>> = {
  commands: { name: 'commands', ...commandsSettings, ...answering },
  commandsAudit: { name: 'commands', ...commandsSettings, ...answering },
  queryGateway: { name: 'query-gateway', ...gatewaySettings, ...answering },
  auditor: { name: 'auditor', ...auditorSettings, ...answering },
  auth: { name: 'auth', ...authSettings, ...answering },
  relay: { name: 'relay', ...relaySettings, replicasMax },
  projector: { name: 'projector', ...projectorSettings, replicasMax: projectorsMax },
  notary: { name: 'notary', ...notaryProcessSettings },
  operator: { name: 'operator', ...operatorSettings },
  edge: { name: 'edge', ...edgeSettings, replicasMax },
  standalone: { name: 'standalone', schema: settingsSchema, secrets: secretSettings },
};
