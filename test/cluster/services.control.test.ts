import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { itSurvives, killed, useCluster } from './setup/use-cluster.ts';

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'A cluster under load, when this process is killed:', () => {
  const cluster = useCluster();

  itSurvives('none: everything is served', cluster, { strike: async () => undefined, refuses: [] });
  itSurvives('the commands service: writes recover', cluster, killed('commands', ['writes']));
  itSurvives('the relay: everything continues', cluster, killed('relay', []));
  itSurvives('the projector: everything continues', cluster, killed('projector', []));
  itSurvives('the query gateway: reads recover', cluster, killed('query-gateway', ['reads']));
  itSurvives('the auditor: everything continues', cluster, killed('auditor', []));
  itSurvives('the auth service: everything continues except new tokens', cluster, killed('auth', ['tokens']));
  itSurvives('the operator service: everything continues', cluster, killed('operator', []));
});
