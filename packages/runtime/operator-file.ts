/** The addresses and the token by which a command reaches a running installation. */
export type RunningOperator = {
  /** Base URL of the operator API. */
  readonly url: string;
  readonly token: string;
  /** Base URL of the API. */
  readonly api: string;
  readonly pid: number;
};

/** The content of `operator.json` in a data directory. Stored: never rename. */
type StoredOperator = { readonly url: string; readonly token: string; readonly api: string; readonly pid: number };

const toStored = (operator: RunningOperator): StoredOperator => ({
  url: operator.url,
  token: operator.token,
  api: operator.api,
  pid: operator.pid,
});

export const toOperatorFile = (operator: RunningOperator): string => JSON.stringify(toStored(operator));

/** Parses the content of an operator file.
 * @throws SyntaxError if the text is not JSON */
export const fromOperatorFile = (text: string): RunningOperator => {
  const stored: StoredOperator = JSON.parse(text);
  return { url: stored.url, token: stored.token, api: stored.api, pid: stored.pid };
};
