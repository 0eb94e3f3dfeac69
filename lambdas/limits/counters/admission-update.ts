/**
 * The conditional write with which an item admits a request: what it reserves from the budgets, what it takes of the rate
 * limits, and its place among the concurrent requests, all or nothing.
 */
import type { ConditionalUpdate } from '#lambdas/platform/dynamodb/expressions.ts';
import {
  activeTotal,
  type BucketName,
  bucketAttributes,
  bucketNames,
  countOf,
  type RateDemand,
} from '../rates/item-rates.ts';
import { type BucketForm, latestFullAtUs, latestLagUs, toMicroseconds } from '../rates/rate.ts';
import { amountValue, kindOfPeriod, periodAttribute } from './counter.ts';
import { activeAttribute, type CountLease, leaseBucketAt, leasedAttribute } from './leases.ts';
import type { Take } from './take.ts';

export interface BudgetTake extends Take {
  /** The id of the counter. */
  id: string;
  /** The UTC day in which the request was received. */
  day: string;
}

export interface ItemAdmission {
  budget: BudgetTake | null;
  rates: RateDemand;
  /** The assumed state of the buckets. */
  forms: Readonly<Record<BucketName, BucketForm>>;
  /** Requests of killed functions, which the write releases. */
  expiredCounts: readonly CountLease[];
}

/** Without `expressions.ts`, whose general form would allocate 20 kB more for every request. */
export function admissionUpdate(
  { budget, rates, forms, expiredCounts }: ItemAdmission,
  nowMs: number,
): ConditionalUpdate {
  const set: string[] = [];
  const add: string[] = [];
  const conditions: string[] = [];
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const remove: string[] = [];
  const bucket = leaseBucketAt(nowMs);
  const release = ({ attribute }: { attribute: string }, stored: unknown) => {
    const place = remove.length;
    names[`#x${place}`] = attribute;
    values[`:x${place}`] = stored;
    conditions.push(`#x${place} = :x${place}`);
    remove.push(`#x${place}`);
  };

  if (budget !== null) {
    conditions.push('id = :id');
    values[':id'] = budget.id;
    for (const [place, { period, usd, requiredUsd }] of budget.changes.entries()) {
      const limit = `limit_${kindOfPeriod(period)}`;
      names[`#r${place}`] = periodAttribute('room', period);
      values[`:r${place}`] = amountValue(usd);
      set.push(`#r${place} = if_not_exists(#r${place}, ${limit}) + :r${place}`);
      if (requiredUsd === null) continue;
      values[`:m${place}`] = amountValue(requiredUsd);
      conditions.push(
        `(#r${place} >= :m${place} OR (attribute_not_exists(#r${place}) AND ${limit} >= :m${place}))`,
      );
    }
    if (budget.leasedUsd !== '0') {
      names['#leased'] = leasedAttribute(budget.day, bucket);
      values[':leased'] = amountValue(budget.leasedUsd);
      add.push('#leased :leased');
    }
    for (const lease of budget.expired) release(lease, amountValue(lease.usd));
  }

  const nowUs = toMicroseconds(nowMs);
  for (const name of bucketNames) {
    const chargeUs = rates.chargesUs[name];
    if (chargeUs === undefined) continue;
    const attribute = bucketAttributes[name];
    if (forms[name] === 'full') {
      values[':now'] = nowUs;
      set.push(`${attribute} = :${attribute}`);
      values[`:${attribute}`] = nowUs + chargeUs;
      conditions.push(`(attribute_not_exists(${attribute}) OR ${attribute} <= :now)`);
    } else {
      add.push(`${attribute} :${attribute}`);
      values[`:${attribute}`] = chargeUs;
      values[`:latest_${attribute}`] = latestFullAtUs(chargeUs, nowUs);
      values[':lag'] = latestLagUs(nowUs);
      conditions.push(`${attribute} > :lag AND ${attribute} <= :latest_${attribute}`);
    }
  }

  if (rates.concurrent !== null) {
    const freed = countOf(expiredCounts);
    names['#count'] = activeAttribute(bucket);
    values[':one'] = 1;
    values[':active'] = 1 - freed;
    values[':free'] = rates.concurrent + freed;
    add.push('#count :one', `${activeTotal} :active`);
    conditions.push(`(attribute_not_exists(${activeTotal}) OR ${activeTotal} < :free)`);
    for (const lease of expiredCounts) release(lease, lease.count);
  }

  const clauses = [
    set.length > 0 ? `SET ${set.join(', ')}` : '',
    add.length > 0 ? `ADD ${add.join(', ')}` : '',
    remove.length > 0 ? `REMOVE ${remove.join(', ')}` : '',
  ];
  return {
    UpdateExpression: clauses.filter((clause) => clause !== '').join(' '),
    ConditionExpression: conditions.join(' AND '),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ExpressionAttributeValues: values,
  };
}
