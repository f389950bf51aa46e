import { unprivilegedUser } from '../../deploy/edge/workers.ts';

const root = 'root:x:0:0:root:/:/bin/sh';
const nobody = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';
const wwwData = 'www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin';
const groups = ['root:x:0:', 'www-data:x:33:', 'nogroup:x:65534:'].join('\n');

describe('The user of the nginx workers, if root starts nginx,', () => {
  it('is www-data, with its own group', () => {
    const user = { name: 'www-data', group: 'www-data', uid: 33, gid: 33 };
    expect(unprivilegedUser([root, nobody, wwwData].join('\n'), groups)).toEqual(user);
  });

  it('is nobody on a machine without www-data', () => {
    expect(unprivilegedUser([root, nobody].join('\n'), groups)).toEqual({ name: 'nobody', group: 'nogroup', uid: 65_534, gid: 65_534 });
  });

  it('is never root', () => {
    expect(() => unprivilegedUser(root, groups)).toThrow('www-data or nobody');
  });
});
