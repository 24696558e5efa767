// Intl objects hold native ICU objects, and V8 refuses to write a snapshot while one is alive. The front-end makes some
// at module top level. While a snapshot is made, the constructors hand out stand-ins that create the real object at
// first use; `restoreIntl` puts the originals back and empties every stand-in that was used meanwhile (warming).

type AnyConstructor = new (...args: any[]) => object;

const NAMES = [
  'Collator',
  'DateTimeFormat',
  'DisplayNames',
  'DurationFormat',
  'ListFormat',
  'Locale',
  'NumberFormat',
  'PluralRules',
  'RelativeTimeFormat',
  'Segmenter',
] as const;

const intl = Intl as unknown as Record<string, AnyConstructor>;
const originals = new Map<string, AnyConstructor>();
let standIns: Array<{real?: object}> = [];
let snapshotting = false;

function standIn(original: AnyConstructor, args: unknown[]): object {
  const slot: {real?: object} = {};
  standIns.push(slot);
  const real = (): Record<PropertyKey, any> => slot.real ??= new original(...args);
  return new Proxy(Object.create(original.prototype), {
    get(_target, property) {
      const value = real()[property];
      return typeof value === 'function' ? value.bind(slot.real) : value;
    },
    has: (_target, property) => property in real(),
  });
}

export function replaceIntl(): void {
  for (const name of NAMES) {
    const original = intl[name];
    if (!original) {
      continue;
    }
    originals.set(name, original);
    const replacement = function(...args: unknown[]): object {
      return snapshotting ? standIn(original, args) : new original(...args);
    };
    Object.setPrototypeOf(replacement, original);
    replacement.prototype = original.prototype;
    intl[name] = replacement as unknown as AnyConstructor;
  }
  snapshotting = true;
}

export function restoreIntl(): void {
  snapshotting = false;
  for (const [name, original] of originals) {
    intl[name] = original;
  }
  for (const slot of standIns) {
    delete slot.real;
  }
  standIns = [];
}

replaceIntl();
