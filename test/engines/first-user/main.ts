import { MongoClient } from 'mongodb';

// A MongoDB that asks for users has none at first: whoever comes first may make one. `main.ts URL AUTHORITY` makes the one that the URL names.

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
