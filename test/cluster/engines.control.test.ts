import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { engineKilled, enginePaused, itSurvives, useCluster } from './setup/use-cluster.ts';

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'A cluster under load, when an engine fails:', () => {
  const cluster = useCluster();

  itSurvives('Kafka is killed: everything continues', cluster, engineKilled('kafka', []));
  itSurvives('Kafka is paused: everything continues', cluster, enginePaused('kafka', []));
  itSurvives('Redis is killed: everything continues', cluster, engineKilled('redis', []));
  itSurvives('Redis is paused: everything continues', cluster, enginePaused('redis', []));
  itSurvives('MongoDB is killed: reads recover, writes continue', cluster, engineKilled('mongodb', ['reads']));
  itSurvives('MongoDB is paused: reads recover, writes continue', cluster, enginePaused('mongodb', ['reads']));
  itSurvives('the event store is killed: writes recover, reads continue', cluster, engineKilled('eventstore', ['writes', 'tokens']));
  itSurvives('the event store is paused: writes recover, reads continue', cluster, enginePaused('eventstore', ['writes', 'tokens']));
  itSurvives('the file store is killed: everything continues except new files', cluster, engineKilled('s3', ['writes']));
});
