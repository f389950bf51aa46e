import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { engineKilled, enginePaused, itStands, useCluster } from './setup/use-cluster.ts';

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'A cluster under load, whose engine fails:', () => {
  const cluster = useCluster();

  itStands('Kafka is killed: all goes on', cluster, engineKilled('kafka', []));
  itStands('Kafka is paused: all goes on', cluster, enginePaused('kafka', []));
  itStands('Redis is killed: all goes on', cluster, engineKilled('redis', []));
  itStands('Redis is paused: all goes on', cluster, enginePaused('redis', []));
  itStands('MongoDB is killed: reads come back, writes go on', cluster, engineKilled('mongodb', ['reads']));
  itStands('MongoDB is paused: reads come back, writes go on', cluster, enginePaused('mongodb', ['reads']));
  itStands('the event store is killed: writes come back, reads go on', cluster, engineKilled('eventstore', ['writes', 'tokens']));
  itStands('the event store is paused: writes come back, reads go on', cluster, enginePaused('eventstore', ['writes', 'tokens']));
  itStands('the store of files is killed: all goes on but for new files', cluster, engineKilled('s3', ['writes']));
});
