/** The setting with the URL of an engine, and the settings with the user and the password that the URL may lack. */
type EngineNames = { readonly url: string; readonly username: string; readonly password: string };

const engines: readonly EngineNames[] = ['EVENTSTORE', 'MONGODB', 'REDIS', 'MEDIA'].map((engine) => ({
  url: `WAYMARK_${engine}_URL`,
  username: `WAYMARK_${engine}_USERNAME`,
  password: `WAYMARK_${engine}_PASSWORD`,
}));

/** The names of the settings with credentials apart from a URL. */
export const credentialNames: readonly string[] = engines.flatMap(({ username, password }) => [username, password]);

type Settings = Readonly<Record<string, unknown>>;

/** Credentials that are given apart from the URL of their engine. On Kubernetes, they are separate entries of a Secret. */
export type UrlCredentials = {
  /** Returns the errors. No error quotes a value. */
  readonly faults: (settings: Settings) => readonly string[];
  /** Returns the settings with complete URLs: the credentials are percent-encoded into them. */
  readonly complete: <Given extends Settings>(settings: Given) => Given;
};

/** @param names the names of the settings that a process reads; those of other engines are ignored */
export const urlCredentialsOf = (names: readonly string[]): UrlCredentials => {
  const used = engines.filter(({ url }) => names.includes(url));
  return {
    faults: (settings) => used.flatMap((engine) => faultsOf(settings, engine)),
    complete: (settings) => ({ ...settings, ...Object.fromEntries(used.flatMap((engine) => completeUrl(settings, engine))) }),
  };
};

const faultsOf = (settings: Settings, names: EngineNames): readonly string[] => {
  const { url, username, password } = valuesOf(settings, names);
  if (username === '' && password === '') return [];
  if (hasCredentials(url)) return [`${names.url}: it has credentials, so ${names.username} and ${names.password} must not be set`];
  if (password === '') return [`${names.password}: it must be set with ${names.username}`];
  // The user of Redis may have no name.
  return username === '' && !/^rediss?:/.test(url) ? [`${names.username}: it must be set with ${names.password}`] : [];
};

const completeUrl = (settings: Settings, names: EngineNames): readonly (readonly [string, string])[] => {
  const { url, username, password } = valuesOf(settings, names);
  return password === '' ? [] : [[names.url, withUser(url, username, password)]];
};

const valuesOf = (settings: Settings, { url, username, password }: EngineNames) => ({
  url: textOf(settings[url]),
  username: textOf(settings[username]),
  password: textOf(settings[password]),
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

// As text: a URL may name several hosts, which no URL parser accepts.
const hasCredentials = (url: string): boolean => /^[^/]+:\/\/[^/?]*@/.test(url);

const withUser = (url: string, username: string, password: string): string =>
  url.replace(/^[^/]+:\/\//, (scheme) => `${scheme}${encodeURIComponent(username)}:${encodeURIComponent(password)}@`);
