import { MongoClient } from 'mongodb';

// Creates the first user of a MongoDB that requires authentication: while it has no user, any client may create one. `main.ts URL
// AUTHORITY` creates the user that the URL names.

const [given = '', tlsCAFile = ''] = process.argv.slice(2);
const url = new URL(given);
const { username, password } = url;
url.username = '';
url.password = '';
const client = new MongoClient(url.href, { tlsCAFile });
try {
  await client.db('admin').command({ createUser: decodeURIComponent(username), pwd: decodeURIComponent(password), roles: ['root'] });
} finally {
  await client.close();
}
