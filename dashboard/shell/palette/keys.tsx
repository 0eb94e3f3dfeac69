import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, type LucideIcon } from 'lucide-react';

/** The page's font has not all of these signs, and those of the system's fonts differ. */
const arrows: Record<string, LucideIcon> = {
  Up: ArrowUp,
  Down: ArrowDown,
  Left: ArrowLeft,
  Right: ArrowRight,
};

/** Keys that are pressed together, or each of them. Arrows are drawn, and have words. */
export function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="flex shrink-0 gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-6 min-w-6 items-center justify-center rounded-md border border-line bg-hover px-1.5 font-sans text-xs text-muted"
        >
          <Key name={key} />
        </kbd>
      ))}
    </span>
  );
}

function Key({ name }: { name: string }) {
  const Arrow = arrows[name];
  if (Arrow === undefined) return name;
  return (
    <>
      <Arrow aria-hidden className="size-3.5" />
      <span className="sr-only">{name} arrow</span>
    </>
  );
}
