import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  onValueChange: (value: string) => void;
  /** The time without a key press after which a change counts; without it, each does. Enter does not wait. */
  delayMs?: number;
}

/** The search of a view. Keeps what is typed itself: the link follows too late for a text field. */
export function SearchField({
  label,
  placeholder = label,
  value,
  onValueChange,
  delayMs = 0,
}: SearchFieldProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const timeout = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (value === sent.current) return;
    clearTimeout(timeout.current);
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timeout.current), []);
  const send = (typed: string) => {
    clearTimeout(timeout.current);
    if (typed === sent.current) return;
    sent.current = typed;
    onValueChange(typed);
  };
  return (
    <div className="relative min-w-0 basis-full sm:max-w-xs sm:flex-1 sm:basis-60">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-2.5 left-3 size-4 text-muted"
        strokeWidth={1.9}
      />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timeout.current);
          if (delayMs === 0) send(target.value);
          else timeout.current = setTimeout(send, delayMs, target.value);
        }}
        onKeyDown={({ key, nativeEvent }) => key === 'Enter' && !nativeEvent.isComposing && send(text)}
        className="h-9 w-full rounded-lg border border-control bg-raised pr-3 pl-9 text-base shadow-card transition-colors placeholder:text-placeholder focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 sm:text-sm"
      />
    </div>
  );
}
