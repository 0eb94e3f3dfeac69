/**
 * Limits a process to a share of a CPU as Lambda does: to so much of every 20 ms, by the kernel's quota. Needs Linux and
 * the right to create control groups, which is root's by default.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CpuQuota {
  name: string;
  /** Returns what removes the limit, to be called once the process has exited. */
  limit(pid: number, share: number): () => void;
}

interface Hierarchy {
  name: string;
  root: string;
  /** Exists in a group of this hierarchy. */
  quotaFile: string;
  setQuota(group: string, micros: number): void;
}

const periodMicros = 20_000;

const hierarchies: Hierarchy[] = [
  {
    name: 'control groups, version 1',
    root: '/sys/fs/cgroup/cpu',
    quotaFile: 'cpu.cfs_quota_us',
    setQuota(group, micros) {
      writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodMicros));
      writeFileSync(join(group, 'cpu.cfs_quota_us'), String(micros));
    },
  },
  {
    name: 'control groups, version 2',
    root: '/sys/fs/cgroup',
    quotaFile: 'cpu.max',
    setQuota: (group, micros) => writeFileSync(join(group, 'cpu.max'), `${micros} ${periodMicros}`),
  },
];

/** `null` if there is no way to limit a process. */
export function findCpuQuota(): CpuQuota | null {
  const hierarchy = hierarchies.find(isUsable);
  if (hierarchy === undefined) return null;
  const { name, root, setQuota } = hierarchy;
  return {
    name,
    limit(pid, share) {
      const group = groupIn(root, String(pid));
      mkdirSync(group);
      setQuota(group, Math.round(periodMicros * share));
      writeFileSync(join(group, 'cgroup.procs'), String(pid));
      return () => {
        // The kernel may list a process for a moment after it has exited.
        while (readFileSync(join(group, 'cgroup.procs'), 'utf8') !== '');
        rmdirSync(group);
      };
    },
  };
}

function isUsable({ root, quotaFile }: Hierarchy): boolean {
  const group = groupIn(root, 'probe');
  try {
    mkdirSync(group);
  } catch {
    return false;
  }
  const usable = existsSync(join(group, quotaFile));
  rmdirSync(group);
  return usable;
}

function groupIn(root: string, name: string): string {
  return join(root, `gateway-bench-${process.pid}-${name}`);
}
