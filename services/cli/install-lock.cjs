'use strict';
// Of several bootstraps at once in one clone, one installs. The lock is a symbolic link: made in one step together with its holder's name.

const fs = require('node:fs');
const os = require('node:os');
const { setTimeout: sleep } = require('node:timers/promises');

const WAIT_MAX_MS = 300_000;
const LOOK_EVERY_MS = 100;

/** True if the lock is ours now. */
const take = (lock) => {
  try {
    fs.symlinkSync(`${os.hostname()}:${process.pid}`, lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
};

const holderOf = (lock) => {
  try {
    return fs.readlinkSync(lock);
  } catch {
    return undefined;
  }
};

/** Of another machine's processes we know nothing: they count as alive. */
const isDead = (holder) => {
  const [host, pid] = holder.split(':');
  if (host !== os.hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
};

/** Puts a dead holder's lock out of the way. Whoever comes too late finds another name in it, and puts it back. */
const discard = (lock, holder) => {
  const aside = `${lock}.${process.pid}`;
  try {
    fs.renameSync(lock, aside);
    if (fs.readlinkSync(aside) === holder) fs.unlinkSync(aside);
    else fs.renameSync(aside, lock);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
};

const acquire = async (lock, onWait) => {
  const giveUpAt = Date.now() + WAIT_MAX_MS;
  for (let waited = false; !take(lock); ) {
    const holder = holderOf(lock);
    if (holder !== undefined && isDead(holder)) {
      discard(lock, holder);
      continue;
    }
    if (Date.now() > giveUpAt) throw new Error(`${holder} has been installing for too long. If it is not, remove ${lock}.`);
    if (!waited) onWait();
    waited = true;
    await sleep(LOOK_EVERY_MS);
  }
};

/** Does the work while no other process on this machine does. */
const withLock = async (lock, onWait, work) => {
  await acquire(lock, onWait);
  try {
    return await work();
  } finally {
    fs.unlinkSync(lock);
  }
};

module.exports = { withLock };
