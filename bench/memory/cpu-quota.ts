/**
 * Limits a process to a share of a CPU as Lambda does: the kernel grants a quota of CPU time per period of 20 ms. Requires
 * Linux and permission to create control groups, which only root has by default.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CpuQuota {
  name: string;
  /** Returns a function that removes the limit, to be called after the process has exited. */
  limit(pid: number, share: number): () => void;
}

interface Hierarchy {
  name: string;
  root: string;
  /** Present in every group of this hierarchy. */
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

/** Returns `null` when the machine offers no way to limit a process. */
export function findCpuQuota(): CpuQuota | null {
  const hierarchy = hierarchies.find(isUsable);
  if (hierarchy === undefined) return null;
  const { name, root, setQuota } = hierarchy;
  return {
    name,
    limit(pid, share) {
      const group = groupPath(root, String(pid));
      mkdirSync(group);
      setQuota(group, Math.round(periodMicros * share));
      writeFileSync(join(group, 'cgroup.procs'), String(pid));
      return () => {
        // The kernel may list a process briefly after it has exited, and such a group cannot be removed.
        while (readFileSync(join(group, 'cgroup.procs'), 'utf8') !== '');
        rmdirSync(group);
      };
    },
  };
}

function isUsable({ root, quotaFile }: Hierarchy): boolean {
  const group = groupPath(root, 'probe');
  try {
    mkdirSync(group);
  } catch {
    return false;
  }
  const hasQuotaFile = existsSync(join(group, quotaFile));
  rmdirSync(group);
  return hasQuotaFile;
}

function groupPath(root: string, name: string): string {
  return join(root, `gateway-bench-${process.pid}-${name}`);
}
