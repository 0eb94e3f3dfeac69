/**
 * A share of a processor for a process, as Lambda deals it out: so much of every 20 ms. By the kernel's quota where a
 * control group can be made, which takes root; else the process is stopped and continued.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDutyCycle } from './duty-cycle.ts';

export interface CpuQuota {
  /** In words, for the table. */
  how: string;
  /** What is returned lifts it, and is to be called once the process has ended. */
  confine(pid: number, share: number): () => void;
}

const periodMicros = 20_000;

interface Hierarchy {
  how: string;
  root: string;
  /** Of a folder in which the quota can be set. */
  file: string;
  set(folder: string, micros: number): void;
}

const hierarchies: Hierarchy[] = [
  {
    how: "the kernel's quota (control groups, version 1)",
    root: '/sys/fs/cgroup/cpu',
    file: 'cpu.cfs_quota_us',
    set(folder, micros) {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodMicros));
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(micros));
    },
  },
  {
    how: "the kernel's quota (control groups, version 2)",
    root: '/sys/fs/cgroup',
    file: 'cpu.max',
    set: (folder, micros) => writeFileSync(join(folder, 'cpu.max'), `${micros} ${periodMicros}`),
  },
];

export function findCpuQuota(): CpuQuota {
  const found = hierarchies.find(isUsable);
  if (found === undefined) {
    return {
      how: 'stopping and continuing it every 20 ms, which also stops the time in which it only waits',
      confine: (pid, share) => startDutyCycle(pid, { periodMs: periodMicros / 1000, share }),
    };
  }
  return { how: found.how, confine: (pid, share) => confineIn(found, pid, share) };
}

function isUsable({ root, file }: Hierarchy): boolean {
  const folder = folderIn(root, 'probe');
  try {
    mkdirSync(folder);
  } catch {
    return false;
  }
  const usable = existsSync(join(folder, file));
  rmdirSync(folder);
  return usable;
}

function confineIn({ root, set }: Hierarchy, pid: number, share: number): () => void {
  const folder = folderIn(root, String(pid));
  mkdirSync(folder);
  set(folder, Math.round(periodMicros * share));
  writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  return () => {
    // A process that has just ended may be in there for a moment still.
    while (readFileSync(join(folder, 'cgroup.procs'), 'utf8') !== '');
    rmdirSync(folder);
  };
}

function folderIn(root: string, name: string): string {
  return join(root, `gateway-bench-${process.pid}-${name}`);
}
