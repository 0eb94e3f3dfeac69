/** Searches the audit trail of an organization, the newest records first. */
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { formatUuidV7 } from '#lambdas/platform/uuid-v7.ts';
import { type AuditQuery, readAuditTrail } from './read.ts';
import type { AuditAction, AuditRecord } from './record.ts';

interface AuditSearch extends AuditQuery {
  filter: AuditFilter;
  window: TimeWindow;
}

interface AuditFilter {
  action?: AuditAction;
  /** The whole id, or a part of the name or e-mail address in any case. */
  actor?: string;
  /** The whole id, or a part of the name in any case. */
  target?: string;
}

interface FoundRecords {
  /** May be fewer than the limit although there are further records: a search reads a limited number. */
  records: AuditRecord[];
  /** The id after which the search continues; `null` at its end. */
  next: string | null;
}

/** After so many records, a search ends although it has found fewer than its limit. About 1 MB. */
const maxReadRecords = 2000;
const pageSize = 100;

export async function searchAuditTrail(
  table: Parameters<typeof readAuditTrail>[0],
  { organizationId, limit, beforeId, filter, window }: AuditSearch,
): Promise<FoundRecords> {
  const oldestId = firstIdAt(window.startMs);
  const isFiltered = Object.values(filter).some((text) => text !== undefined);
  const records: AuditRecord[] = [];
  let position = firstIdAt(window.endMs);
  if (beforeId !== undefined && beforeId < position) position = beforeId;
  for (let read = 0; read < maxReadRecords; ) {
    const page = await readAuditTrail(table, {
      organizationId,
      // One record more than the limit shows whether there is a next page.
      limit: isFiltered ? pageSize : limit + 1,
      beforeId: position,
    });
    for (const record of page.records) {
      if (record.id < oldestId) return { records, next: null };
      if (!matches(record, filter)) continue;
      if (records.length === limit) return { records, next: records.at(-1)?.id ?? null };
      records.push(record);
    }
    if (!page.hasMore) return { records, next: null };
    position = page.records.at(-1)?.id ?? position;
    read += page.records.length;
  }
  return { records, next: position };
}

function matches({ action, actor, target }: AuditRecord, filter: AuditFilter): boolean {
  if (filter.action !== undefined && action !== filter.action) return false;
  if (filter.actor !== undefined && !isFound(filter.actor, actor.id, actor.name, actor.email)) return false;
  return filter.target === undefined || isFound(filter.target, target.id, target.name);
}

function isFound(text: string, id: string, ...names: readonly (string | null)[]): boolean {
  const part = text.normalize('NFC').toLowerCase();
  return id === text || names.some((name) => name?.normalize('NFC').toLowerCase().includes(part));
}

function firstIdAt(timestampMs: number): string {
  return formatUuidV7(timestampMs, '0000', '0000', '000000000000');
}
