/** The id of an installation, as its log gives it: it stands in Kafka, Redis and MongoDB, too, where others may write what they like. */
export const installationPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isInstallation = (value: unknown): value is string => typeof value === 'string' && installationPattern.test(value);
