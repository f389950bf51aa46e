import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { itStands, killed, useCluster } from './setup/use-cluster.ts';

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'A cluster under load, when this process is killed:', () => {
  const cluster = useCluster();

  itStands('none: everything is served', cluster, { strike: async () => undefined, refuses: [] });
  itStands('the commands service: writes recover', cluster, killed('commands', ['writes']));
  itStands('the relay: everything continues', cluster, killed('relay', []));
  itStands('the projector: everything continues', cluster, killed('projector', []));
  itStands('the query gateway: reads recover', cluster, killed('query-gateway', ['reads']));
  itStands('the auth service: everything continues except new tokens', cluster, killed('auth', ['tokens']));
  itStands('the operator service: everything continues', cluster, killed('operator', []));
});
