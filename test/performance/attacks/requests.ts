export const formType = 'application/x-www-form-urlencoded';

const authorization = (token: string | undefined): string => (token === undefined ? '' : `Authorization: Bearer ${token}\r\n`);

/** Returns a complete GET request. */
export const getRequest = (path: string, token?: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: waymark.test\r\n${authorization(token)}\r\n`;

export type PostHead = { readonly token?: string; readonly type?: string; readonly length: number | 'chunked' };

/** Returns the head of a request that announces a body. */
export const postHead = (path: string, { token, type = 'application/json', length }: PostHead): string => {
  const framing = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  return `POST ${path} HTTP/1.1\r\nHost: waymark.test\r\n${authorization(token)}Content-Type: ${type}\r\n${framing}\r\n\r\n`;
};
