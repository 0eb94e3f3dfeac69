/** Costs by UTC day and model. */

export interface ModelCosts<Sums> {
  /** `YYYY-MM-DD` */
  date: string;
  /** `null` for costs of no model, such as web searches. */
  model: string | null;
  sums: Sums;
}

/** The key consists of the day and `modelKey`. */
export type CostsByModel<Sums> = Map<string, ModelCosts<Sums>>;

export function addModelCosts<Sums>(
  costs: CostsByModel<Sums>,
  { date, model, sums }: ModelCosts<Sums>,
  add: (left: Sums, right: Sums) => Sums,
): void {
  const key = `${date} ${modelKey(model)}`;
  const existing = costs.get(key);
  costs.set(
    key,
    existing === undefined ? { date, model, sums } : { ...existing, sums: add(existing.sums, sums) },
  );
}

/** Names that differ only in case have the same key, and so have all costs of no model. */
export function modelKey(model: string | null): string {
  return model?.toLowerCase() ?? '';
}
