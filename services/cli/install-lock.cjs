'use strict';
// If several bootstraps run at once in one clone, only one of them installs. The lock is a symbolic link, because it is created in one step
// together with the name of its holder.

const fs = require('node:fs');
const os = require('node:os');
const { setTimeout: sleep } = require('node:timers/promises');

const WAIT_MAX_MS = 300_000;
const LOOK_EVERY_MS = 100;

/** Tries to take the lock. Returns true if this process holds it now. */
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

/** Reports whether the holder has died. Processes of other machines cannot be checked, and count as alive. */
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

/** Removes the lock of a dead holder, by moving it aside first. If another process has taken the lock meanwhile, the name in it differs,
 * and the lock is moved back. */
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
    if (Date.now() > giveUpAt)
      throw new Error(`${holder} has held the installation lock for too long. If it no longer runs, remove ${lock}.`);
    if (!waited) onWait();
    waited = true;
    await sleep(LOOK_EVERY_MS);
  }
};

/** Does the work while no other process on this machine does the same. */
const withLock = async (lock, onWait, work) => {
  await acquire(lock, onWait);
  try {
    return await work();
  } finally {
    fs.unlinkSync(lock);
  }
};

module.exports = { withLock };
