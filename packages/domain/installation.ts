/** The form of an installation's id, which its log generates. The id is also stored in Kafka, Redis and MongoDB, where other programs can
 * write any value. */
export const installationPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isInstallation = (value: unknown): value is string => typeof value === 'string' && installationPattern.test(value);
