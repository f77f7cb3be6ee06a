'use strict';
// The data: `stages`, each with lines [text, places] by number; `texts` and `places` are what the numbers mean. A place is a
// position of the source. `from` has for each line the lines of the stage before that its op came from, and `parts` the lines
// that are no first line of an op, with that line. All text of the program is put into the page as text, never as markup.
const data = JSON.parse(document.getElementById('data').textContent);
const ROW = 18;
const byId = id => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return made;
}
// Buttons, so that the keyboard reaches them.
const link = (text, onclick, title) => element('button', { class: 'link', onclick, title }, text);
const svgElement = (tag, attributes) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  return made;
};
const plural = (count, word) => `${count} ${word}${count === 1 ? '' : word.endsWith('ch') ? 'es' : 's'}`;

// What is looked at. The address of the page holds it, so that a place can be sent to somebody.
const state = { tab: 'program', left: 0, right: data.stages.length > 1 ? 1 : 0, selected: null, find: '', kinds: new Set() };
const panes = [];

const textOf = (stage, line) => data.texts[data.stages[stage].lines[line][0]];
const placesOf = (stage, line) => data.places[data.stages[stage].lines[line][1]];
const nameOf = stage => data.stages[stage].title;

// ---- where a line came from, and what became of it

// The first line of the op that a line belongs to.
const firstOf = (stage, line) => (data.stages[stage].parts || {})[line] ?? line;
const isFirst = (stage, line) => firstOf(stage, line) === line;

// For each line of the stage before a stage the lines that its op became.
const childrenOf = [];
function children(stage) {
  if (childrenOf[stage]) return childrenOf[stage];
  const of = new Map();
  data.stages[stage].from.forEach((from, line) => {
    if (from === null || !isFirst(stage, line)) return;
    for (const parent of [from].flat()) of.has(parent) ? of.get(parent).push(line) : of.set(parent, [line]);
  });
  return (childrenOf[stage] = of);
}

// The lines of a stage at the positions of the source that lines of another stage have.
function samePlaces(lines, stage, other) {
  const places = new Set(lines.flatMap(line => placesOf(stage, line)));
  return data.stages[other].lines.flatMap(([, own], line) => (isFirst(other, line) && data.places[own].some(place => places.has(place)) ? [line] : []));
}

// From lines of a stage to those of the stage before, or the next one. `exact` is false where only the source position says it.
function step(stage, lines, by) {
  const later = by > 0 ? stage + 1 : stage;
  const from = data.stages[later].from;
  if (!from) return { lines: samePlaces(lines, stage, stage + by), exact: later === 1 };
  const next = by > 0 ? lines.flatMap(line => children(later).get(line) || []) : lines.flatMap(line => (from[line] === null ? [] : [from[line]].flat()));
  return { lines: [...new Set(next)].sort((a, b) => a - b), exact: true };
}

// The lines of every stage that belong to one line: by stage, with whether that is known of each op or only by the position.
let traced = { key: null };
function trace() {
  const selected = state.selected;
  if (!selected) return [];
  const key = `${selected.stage}:${selected.line}`;
  if (traced.key === key) return traced.stages;
  const stages = [];
  stages[selected.stage] = { lines: [firstOf(selected.stage, selected.line)], exact: true };
  for (const by of [-1, 1]) {
    for (let at = selected.stage + by; at >= 0 && at < data.stages.length; at += by) {
      const before = stages[at - by];
      const next = before.lines.length ? step(at - by, before.lines, by) : { lines: [], exact: before.exact };
      stages[at] = { lines: next.lines, exact: before.exact && next.exact };
    }
  }
  traced = { key, stages };
  return stages;
}

// ---- differences between two stages

// A line without its indentation and without the numbers of values and blocks, which change with every op before it.
const plainTexts = [];
const plain = text => (plainTexts[text] ??= data.texts[text].trim().replace(/([%^][A-Za-z_$.]*?)_?\d+(?=[^\w]|$)/g, '$1'));

// The most lines that may differ where the shortest difference is looked for; after that lines are counted.
const MOST_EDITS = 2500;

// Pairs of equal lines, in order: Myers' algorithm. Null where too much is different.
function align(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) { endA--; endB--; }
  const [n, m] = [endA - start, endB - start];
  const most = Math.min(n + m, MOST_EDITS);
  const pairs = Array.from({ length: start }, (_, at) => [at, at]);
  const tail = Array.from({ length: a.length - endA }, (_, at) => [endA + at, endB + at]);
  let ends = new Int32Array(2 * most + 2);
  const rounds = [];
  for (let edits = 0; edits <= most; edits++) {
    rounds.push(ends.slice(most - edits, most + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && ends[most + k - 1] < ends[most + k + 1]);
      let x = down ? ends[most + k + 1] : ends[most + k - 1] + 1;
      let y = x - k;
      while (x < n && y < m && a[start + x] === b[start + y]) { x++; y++; }
      ends[most + k] = x;
      if (x < n || y < m) continue;
      const middle = [];
      for (let round = edits; round >= 0; round--) {
        const before = at => rounds[round][at + round];
        const diagonal = x - y;
        const wasDown = diagonal === -round || (diagonal !== round && before(diagonal - 1) < before(diagonal + 1));
        const from = round === 0 ? 0 : wasDown ? diagonal + 1 : diagonal - 1;
        const fromX = round === 0 ? 0 : before(from);
        const fromY = fromX - from;
        while (x > fromX && y > fromY) { x--; y--; middle.push([start + x, start + y]); }
        [x, y] = [fromX, fromY];
      }
      return pairs.concat(middle.reverse(), tail);
    }
  }
  return null;
}

const VALUE = /[%^][\w$.-]+/g;
// The values of a line, and which of them it defines: results, variables of loops, arguments of blocks.
function values(text) {
  const results = (text.match(/^\s*(%[^=]*) = /) || ['', ''])[0].length;
  return [...text.matchAll(VALUE)].map(match => ({ name: match[0], defines: match.index < results || /^(:\s|:\d| =[^=])/.test(text.slice(match.index + match[0].length)) }));
}

// For each line of two stages its mark: 'changed' where the other one does not have it, 'moved' where it has it elsewhere.
let compared = { key: null };
function compare(left, right) {
  const key = `${left},${right}`;
  if (compared.key === key) return compared;
  const sides = [left, right].map(stage => data.stages[stage].lines.map(([text]) => plain(text)));
  const marks = sides.map(side => side.map(text => (text ? 'changed' : '')));
  const keep = (a, b) => { marks[0][a] = marks[1][b] = ''; };
  const pairs = left === right ? sides[0].map((_, line) => [line, line]) : align(...sides);
  const others = new Map();
  if (pairs) {
    // Values may have other names, but the same all along.
    const names = [new Map(), new Map()];
    for (const [a, b] of pairs) {
      const [own, other] = [values(textOf(left, a)), values(textOf(right, b))];
      let same = true;
      own.forEach((value, at) => {
        const counterpart = other[at];
        if (value.defines) {
          names[0].set(value.name, counterpart.name);
          names[1].set(counterpart.name, value.name);
        } else if ((names[0].get(value.name) ?? counterpart.name) !== counterpart.name || (names[1].get(counterpart.name) ?? value.name) !== value.name) same = names[0].size === 0;
      });
      if (same) keep(a, b);
    }
  }
  sides[0].forEach((text, line) => { if (marks[0][line]) others.has(text) ? others.get(text).push(line) : others.set(text, [line]); });
  sides[1].forEach((text, line) => {
    if (!marks[1][line] || !others.get(text)?.length) return;
    const other = others.get(text).shift();
    if (pairs && text.length > 12) marks[0][other] = marks[1][line] = 'moved';
    else if (!pairs) keep(other, line);
  });
  // Two forms of a program that have nothing in common, as IR and PTX: marks on all lines say nothing.
  const apart = marks.flat().filter(mark => mark === 'changed').length > 0.85 * marks.flat().length;
  if (apart) marks.forEach(of => of.fill(''));
  compared = { key, left: marks[0], right: marks[1], apart };
  return compared;
}

// ---- the program, side by side

const TOKEN = /(\/\/.*$)|("(?:[^"\\]|\\.)*")|(%[\w$.#-]+)|(@[\w$.-]+|\^[\w$.-]+)|([A-Za-z_][\w.]*)/g;
const KEYWORDS = new Set(('func return launch where else for if to step carry yield grid role warps groups registers threads ' +
  'cluster single elect reduce read write entry axes over of at acc init tile stages instruction roles persistent order cache ' +
  'multicast assume store wait signal expect arrive await barrier parity by on module').split(' '));

function highlight(row, text) {
  const find = state.find.toLowerCase();
  if (find && text.toLowerCase().includes(find)) {
    let at = 0;
    for (let next; (next = text.toLowerCase().indexOf(find, at)) >= 0; at = next + find.length) {
      row.append(text.slice(at, next), element('mark', {}, text.slice(next, next + find.length)));
    }
    row.append(text.slice(at));
    return;
  }
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const kind = match[1] ? 'com' : match[2] ? 'str' : match[3] ? 'val' : match[4] ? 'sym' : KEYWORDS.has(match[5]) ? 'kw' : null;
    if (!kind) continue;
    row.append(text.slice(at, match.index), element('span', { class: kind }, match[0]));
    at = match.index + match[0].length;
  }
  row.append(text.slice(at));
}

// A pane draws only the lines that are in sight: a program may have many thousands.
class Pane {
  constructor(side) {
    this.side = side;
    this.title = element('b');
    this.about = element('span');
    this.differs = element('span', { class: 'differs' });
    this.tall = element('div', { class: 'tall' });
    this.code = element('div', { class: 'code', tabindex: 0, onscroll: () => this.draw(), 'aria-label': `the ${side} stage` }, this.tall);
    // The marks of all lines, next to the scroll bar.
    this.strip = element('div', { class: 'strip', title: 'where lines differ, and what belongs to the selected line', onclick: event => this.to(Math.floor(this.stage.lines.length * event.offsetY / this.strip.clientHeight)) });
    const step = by => element('button', { title: by < 0 ? 'the stage before' : 'the next stage', 'aria-label': by < 0 ? 'the stage before' : 'the next stage', onclick: () => go(side, by) }, by < 0 ? '‹' : '›');
    this.node = element('section', { class: 'pane' },
      element('div', { class: 'pick' }, step(-1), step(1), this.title, this.about, this.differs),
      element('div', { class: 'body' }, this.code, this.strip));
  }

  get number() { return state[this.side]; }
  get stage() { return data.stages[this.number]; }

  // Shows the stage that the state says, and how it differs from that of the other pane.
  show() {
    const stage = this.stage;
    this.title.textContent = stage.title + (stage.failed ? ' failed here' : '');
    this.title.title = stage.pipeline;
    this.about.textContent = [stage.layers.join(' + '), plural(stage.lines.length, 'line')].filter(Boolean).join(' · ');
    const compared = compare(state.left, state.right);
    this.marks = compared[this.side];
    const [changed, moved] = ['changed', 'moved'].map(kind => this.marks.filter(mark => mark === kind).length);
    const differs = [changed && `${changed} ${this.side === 'left' ? 'only here' : 'new'}`, moved && `${moved} moved`].filter(Boolean).join(', ');
    this.differs.title = compared.apart ? 'nearly all lines differ, so none is marked' : '';
    this.differs.textContent = state.left === state.right ? '' : compared.apart ? 'another form' : differs || 'no difference';
    const longest = stage.lines.reduce((most, [text]) => Math.max(most, data.texts[text].length), 0);
    this.tall.style.height = `${ROW * stage.lines.length}px`;
    this.tall.style.width = `${longest + 14}ch`;
    this.belongs = new Set(trace()[this.number]?.lines);
    this.drawStrip();
    this.draw();
  }

  drawStrip() {
    const lines = this.stage.lines.length;
    const ticks = [];
    let before = -1;
    const tick = (line, kind) => ticks.push(element('i', { class: kind, style: `top:${(100 * line / lines).toFixed(2)}%` }));
    this.marks.forEach((mark, line) => {
      // A line of a long stage is less than a pixel.
      const at = Math.floor(400 * line / lines);
      if (mark && at !== before) tick(line, mark === 'moved' ? 'moved' : this.side === 'left' ? 'gone' : 'new');
      if (mark) before = at;
    });
    for (const line of [...this.belongs].slice(0, 300)) tick(line, 'hit');
    this.strip.replaceChildren(...ticks);
  }

  draw() {
    const { lines, registers } = this.stage;
    const first = Math.max(0, Math.floor(this.code.scrollTop / ROW) - 10);
    const last = Math.min(lines.length, first + Math.ceil((this.code.clientHeight || 900) / ROW) + 20);
    const exact = trace()[this.number]?.exact;
    const rows = [];
    for (let line = first; line < last; line++) {
      const classes = ['row'];
      if (this.marks[line]) classes.push(this.marks[line] === 'moved' ? 'moved' : this.side === 'left' ? 'gone' : 'new');
      if (this.belongs.has(firstOf(this.number, line))) classes.push(exact ? 'hit' : 'near');
      if (state.selected && state.selected.stage === this.number && state.selected.line === line) classes.push('here');
      const row = element('div', { class: classes.join(' '), style: `top:${ROW * line}px`, onclick: () => select(this.number, line) },
        element('span', { class: 'n' }, String(line + 1)));
      if (registers) {
        const live = registers[line];
        row.append(element('span', { class: 'r', title: '32-bit registers that hold values after this instruction' }, live === null ? '' : String(live)));
      }
      highlight(row, textOf(this.number, line));
      rows.push(row);
    }
    this.tall.replaceChildren(...rows);
  }

  to(line) {
    const height = this.code.clientHeight || 400;
    const top = ROW * line;
    if (top < this.code.scrollTop + ROW || top > this.code.scrollTop + height - 2 * ROW) this.code.scrollTop = Math.max(0, top - height / 3);
  }
}

const pane = side => panes.find(pane => pane.side === side);

function go(side, by) {
  const next = state[side] + by;
  if (next < 0 || next >= data.stages.length) return;
  state[side] = next;
  show();
  follow(side);
}

// Both panes to the next pair of stages.
function goBoth(by) {
  state.right = Math.min(Math.max(0, state.right + by), data.stages.length - 1);
  state.left = Math.max(0, state.right - 1);
  show();
  follow('left');
  follow('right');
}

function follow(side) {
  const line = trace()[state[side]]?.lines[0];
  if (line !== undefined) pane(side).to(line);
}

function select(stage, line) {
  state.selected = { stage, line };
  show();
  for (const pane of panes) state[pane.side] === stage ? pane.to(line) : follow(pane.side);
}

// Opens a line of a stage: at the left with the next stage, so that one sees what became of it; at the right if it is the last.
function open(stage, line) {
  state.tab = 'program';
  state.left = Math.min(stage, Math.max(0, data.stages.length - 2));
  state.right = Math.min(state.left + 1, data.stages.length - 1);
  state.selected = { stage, line };
  show();
  for (const pane of panes) state[pane.side] === stage ? pane.to(line) : follow(pane.side);
}

function program(main) {
  const list = element('nav', { class: 'list', 'aria-label': 'stages' });
  let layers = null;
  data.stages.forEach((stage, number) => {
    const own = stage.layers.join(' + ');
    if (own && own !== layers) list.append(element('h4', {}, own));
    layers = own || layers;
    const classes = [state.left === number && 'left', state.right === number && 'right', stage.failed && 'failed', trace()[number]?.lines.length && 'traced'].filter(Boolean);
    list.append(element('button', {
      class: classes.join(' '), title: `${stage.pipeline || stage.title} (with shift: in the left pane)`,
      onclick: event => { state[event.shiftKey ? 'left' : 'right'] = number; if (!event.shiftKey) state.left = Math.max(0, number - 1); show(); follow('left'); follow('right'); },
    }, stage.title + (stage.failed ? ' ✗' : '')));
  });
  const scrolled = main.querySelector('.list')?.scrollTop || 0;
  if (!panes.length) panes.push(new Pane('left'), new Pane('right'));
  const error = data.remarks.find(remark => remark.kind === 'error');
  main.replaceChildren(element('div', { class: 'program' }, list, element('div', { class: 'right-of-list' },
    error && element('div', { class: 'banner' }, element('b', {}, 'The compile failed: '), error.message, ' ', link('the whole message', () => { state.tab = 'decisions'; show(); })),
    element('div', { class: 'panes' }, ...panes.map(pane => pane.node)), lineHistory())));
  panes.forEach(pane => pane.show());
  list.scrollTop = scrolled;
  list.querySelector('.right')?.scrollIntoView({ block: 'nearest' });
}

// Lines, those first that have most words with the selected one in common: of what a maximum became the maxima.
function likeliest(stage, lines) {
  const words = text => text.replace(/[%@^"][\w$.#-]+/g, '').match(/[a-z_]\w+/g) || [];
  const wanted = new Set(words(textOf(state.selected.stage, state.selected.line)));
  const score = new Map(lines.map(line => [line, words(textOf(stage, line)).filter(word => wanted.has(word)).length]));
  return [...lines].sort((a, b) => score.get(b) - score.get(a) || a - b);
}

// What the selected line came from and became, stage by stage.
function lineHistory() {
  const box = element('section', { class: 'history', 'aria-label': 'history of the selected line' });
  if (!state.selected) {
    box.append(element('p', {}, 'Click a line to see the ops that it came from and the ops that it became. ',
      element('b', {}, 'Keys: '), '← → next pair of stages, ↑ ↓ next line, n p next difference, / find, 1 2 3 tabs. ',
      element('span', { class: 'row gone' }, 'only left'), ' ', element('span', { class: 'row new' }, 'only right'), ' ', element('span', { class: 'row moved' }, 'moved'),
      ' Indentation and numbers of values do not count as differences.'));
    return box;
  }
  const stages = trace();
  const selected = state.selected.stage;
  const sign = (stage, by) => {
    const { lines, exact } = stages[stage];
    if (!exact) return ['?', 'near', 'by the position in the source only'];
    const before = stages[stage - by].lines;
    const [own, other] = [[stage, lines], [stage - by, before]].map(([stage, lines]) => lines.map(line => plain(data.stages[stage].lines[line][0])).join('\n'));
    return own === other ? ['=', 'same', 'the same op'] : ['→', 'made', 'made from it by a pass'];
  };
  const side = (title, by) => {
    const column = element('div', { class: 'column' }, element('h4', {}, title));
    let unchanged = [];
    const flush = () => {
      if (unchanged.length) column.append(element('div', { class: 'unchanged' }, `= in ${unchanged.length > 3 ? `${unchanged.length} stages, from ${nameOf(unchanged[0])} to ${nameOf(unchanged[unchanged.length - 1])}` : unchanged.map(nameOf).join(', ')}`));
      unchanged = [];
    };
    let shown = 0;
    for (let stage = selected + by; stage >= 0 && stage < data.stages.length && stages[stage].lines.length; stage += by) {
      const [mark, kind, title] = sign(stage, by);
      const { lines } = stages[stage];
      if (kind === 'same') { unchanged.push(stage); continue; }
      flush();
      shown++;
      const first = likeliest(stage, lines).slice(0, 3).map(line => link(textOf(stage, line).trim(), () => by < 0 ? open(stage, line) : openRight(stage, line)));
      column.append(element('div', { class: 'step' }, element('span', { class: `sign ${kind}`, title }, mark), element('b', {}, nameOf(stage)),
        element('div', {}, ...first, lines.length > 3 && element('small', {}, `and ${lines.length - 3} more`))));
    }
    const through = unchanged.length;
    flush();
    const end = selected + by * (shown + through + 1);
    if (!shown && !through) column.append(element('p', {}, selected + by < 0 ? 'This is the first stage.' : selected + by >= data.stages.length ? 'This is the last stage.' : by < 0 ? `The pass gave this op no location of an op of ${nameOf(selected - 1)}.` : `No op of ${nameOf(selected + 1)} has its location: it is gone, or merged into others.`));
    else if (by > 0) {
      const last = stages.findLastIndex(stage => stage.lines.length);
      if (last < data.stages.length - 1) column.append(element('p', {}, `Nothing of it is left after ${nameOf(last)}.`));
    }
    return column;
  };
  box.append(element('div', { class: 'columns' }, side(`${nameOf(selected)}, line ${state.selected.line + 1} came from`, -1), side('became', 1)),
    element('p', { class: 'legend' }, element('span', { class: 'sign same' }, '='), ' same op ', element('span', { class: 'sign made' }, '→'), ' the pass gave it the location of that op ',
      element('span', { class: 'sign near' }, '?'), ' same position in the source only'));
  return box;
}

// Opens a line of a stage at the right, with the stage before it.
function openRight(stage, line) {
  state.tab = 'program';
  state.right = stage;
  state.left = Math.max(0, stage - 1);
  select(stage, line);
}

// ---- kernels

const COLORS = ['#4c78a8', '#f58518', '#54a24b', '#b279a2', '#e45756', '#9d755d'];
const us = time => `${time.toFixed(time < 10 ? 2 : 1)} us`;

function bars(terms) {
  const box = element('div', { class: 'terms' });
  const most = Math.max(...terms.map(([, time]) => time), 1e-9);
  terms.forEach(([name, time], number) => {
    if (time > most / 1000) box.append(element('div', {}, element('span', { class: 'name' }, name), element('span', { class: 'bar', style: `width:${Math.round(140 * time / most)}px;background:${COLORS[number]}` }), us(time)));
  });
  return box;
}

function planCard(plan) {
  const sizes = plan.sizes.map(([name, size]) => `${name} = ${size}`).join(', ');
  const card = element('div', { class: 'card' }, element('div', { class: 'about' },
    element('p', {}, 'Computes ', element('b', {}, plan.computes), '.'),
    plan.time === null ? element('p', {}, plan.is_planned ? 'The plan names no machine, so there is no estimate.' : 'It has no plan yet: choose-plan would choose one. Without it the default tiling is used.') :
      element('p', {}, 'Estimate ', element('b', {}, us(plan.time)), sizes ? ` at ${sizes}` : '', ', limited by ', element('b', {}, plan.limit), '. Terms overlap, so they do not add up.'),
    plan.terms && bars(plan.terms),
    plan.figures && element('p', {}, `${plural(plan.figures.tiles, 'tile')}, occupancy ${plan.figures.occupancy.toFixed(2)}, efficiency of the pipeline ${plan.figures.efficiency.toFixed(2)}, ${us(plan.figures.overlap)} overlapped.`)),
  plan.clauses && element('div', {}, element('h4', {}, 'Plan'), element('pre', {}, plan.clauses.join('\n'))));
  const parts = [card];
  const others = plan.candidates;
  if (others && others.count) {
    const table = element('table', {}, element('tr', {}, ...['', 'candidate', 'estimate', 'limited by', 'terms'].map(name => element('th', {}, name))));
    const best = others.best[0].time;
    others.best.forEach((other, number) => table.append(element('tr', { class: other.is_taken ? 'taken' : '' }, element('td', {}, other.is_taken ? 'taken' : String(number + 1)),
      element('td', {}, element('code', {}, other.plan)), element('td', { class: 'num' }, us(other.time), number ? element('small', {}, ` ${other.time >= best ? '+' : ''}${(100 * (other.time / best - 1)).toFixed(0)} %`) : null),
      element('td', { class: 'limit' }, other.limit), element('td', {}, element('small', {}, other.terms.filter(([, time]) => time >= 0.05).map(([name, time]) => `${name} ${time.toFixed(1)}`).join(', '))))));
    const more = others.count - others.best.length;
    parts.push(element('details', { open: data.plans.length < 3 }, element('summary', {}, `${plural(others.count, 'candidate')} compared` + (others.pruned ? `, ${others.pruned} pruned for their registers or shared memory` : '') + (others.refused_count ? `, ${others.refused_count} that the target or the kernel does not allow` : '')),
      table, more > 0 && element('p', {}, `${more} more.`),
      others.refused.length > 0 && element('ul', { class: 'refused' }, ...others.refused.map(why => element('li', {}, why)))));
  }
  return parts;
}

// How many registers hold values along the instructions of an entry.
function registerChart(entry) {
  const stage = data.stages.length - 1;
  const { lines, registers, title } = data.stages[stage];
  if (title !== 'PTX' || !registers) return null;
  const start = lines.findIndex(([text]) => data.texts[text].includes(`.entry ${entry}(`));
  if (start < 0) return null;
  let end = lines.findIndex(([text], line) => line > start && data.texts[text] === '}');
  if (end < 0) end = lines.length;
  const points = [];
  for (let line = start; line < end; line++) if (registers[line] !== null) points.push([line, registers[line]]);
  if (!points.length) return null;
  const [at, most] = points.reduce((best, point) => (point[1] > best[1] ? point : best));
  const checked = data.remarks.map(remark => remark.message.match(/^'(.*)' keeps values in (\d+) of (\d+) registers of a thread(.*)$/)).find(match => match && match[1] === entry);
  const atStart = checked ? Number(checked[3]) : 255;
  // Roles have registers of their own from setmaxnreg on, up to that of the next role.
  const limits = [];
  for (let line = start; line < end; line++) {
    const set = data.texts[lines[line][0]].match(/setmaxnreg\.\w+\.sync\.aligned\.u32 (\d+)/);
    if (set) limits.push([line, Number(set[1])]);
  }
  if (!limits.length) limits.push([start, atStart]);
  const limit = Math.max(...limits.map(([, count]) => count));
  const [width, height] = [900, 90];
  const top = Math.max(most, limit) * 1.05;
  const x = line => width * (line - start) / (end - start), y = count => height - height * count / top;
  const svg = svgElement('svg', { viewBox: `0 0 ${width} ${height}`, width: '100%', height, preserveAspectRatio: 'none', role: 'img', 'aria-label': `registers of ${entry}` });
  svg.append(svgElement('polygon', { points: `${x(points[0][0])},${height} ${points.map(([line, count]) => `${x(line).toFixed(1)},${y(count).toFixed(1)}`).join(' ')} ${x(points[points.length - 1][0])},${height}`, fill: '#d9cdf0', stroke: '#7a4cc2', 'stroke-width': 1, 'vector-effect': 'non-scaling-stroke' }));
  limits.forEach(([line, count], at) => svg.append(svgElement('line', { x1: x(line), x2: x(limits[at + 1]?.[0] ?? end), y1: y(count), y2: y(count), stroke: '#cf222e', 'stroke-dasharray': '5 4', 'vector-effect': 'non-scaling-stroke' })));
  svg.addEventListener('click', event => {
    const wanted = start + (end - start) * event.offsetX / svg.clientWidth;
    openRight(stage, points.reduce((best, point) => (Math.abs(point[0] - wanted) < Math.abs(best[0] - wanted) ? point : best))[0]);
  });
  return [element('h3', {}, 'Registers'), element('p', {}, `32-bit registers that hold values along the instructions of ${entry}: at most ${most}, at `, link(`line ${at + 1} of the PTX`, () => openRight(stage, at)),
    `. Dashed: ${limits[0][0] > start ? 'the registers that setmaxnreg gives each role' : `the ${limit} that a thread has`}.`,
    checked ? ` Of the part that is closest to its limit check-registers says that it keeps values in ${checked[2]} of ${checked[3]} registers${checked[4]}, with those of the assembler.` : ''), element('div', { class: 'chart' }, svg)];
}

function lanes(kernel, grid) {
  const box = element('div', { class: 'lanes' });
  const nodes = [];
  const bright = barrier => nodes.forEach(({ node, event }) => node.classList.toggle('dim', barrier !== null && event.barrier !== barrier));
  for (const [number, lane] of grid.lanes.entries()) {
    // A role with more to say gets more room.
    const longest = Math.max(...lane.events.map(event => event.text.length + 2 * event.depth));
    const column = element('div', { class: 'lane', style: `flex:${Math.min(60, Math.max(18, longest))} 1 0` }, element('header', {}, element('b', {}, lane.name), ' ', element('small', {}, lane.who)));
    for (const event of lane.events) {
      const node = element(event.line === null ? 'div' : 'button', {
        class: `event ${event.kind}`, style: `margin-left:${14 * event.depth}px;width:calc(100% - ${14 * event.depth}px)`, title: event.text,
        onclick: () => event.line !== null && open(kernel.stage, event.line),
        onmouseenter: () => event.barrier && bright(event.barrier), onmouseleave: () => bright(null),
        onfocus: () => event.barrier && bright(event.barrier), onblur: () => bright(null),
      }, event.text);
      nodes.push({ node, event, lane: number });
      column.append(node);
    }
    box.append(column);
  }
  const draw = () => {
    box.querySelector('svg')?.remove();
    const from = box.getBoundingClientRect();
    const svg = svgElement('svg', { width: box.scrollWidth, height: box.scrollHeight });
    const names = [...new Set(nodes.map(({ event }) => event.barrier).filter(Boolean))];
    // From the last signal of a lane to the first wait of another one, for each barrier.
    for (const [index, barrier] of names.entries()) {
      const own = nodes.filter(({ event }) => event.barrier === barrier);
      for (const a of new Set(own.map(({ lane }) => lane))) {
        for (const b of new Set(own.map(({ lane }) => lane))) {
          const signal = own.filter(({ lane, event }) => lane === a && event.way === 'signal').pop();
          const wait = own.find(({ lane, event }) => lane === b && event.way === 'wait');
          if (a === b || !signal || !wait) continue;
          const [s, w] = [signal.node.getBoundingClientRect(), wait.node.getBoundingClientRect()];
          const right = s.left < w.left;
          const x1 = (right ? s.right : s.left) - from.left + box.scrollLeft, y1 = s.top + s.height / 2 - from.top;
          const x2 = (right ? w.left : w.right) - from.left + box.scrollLeft, y2 = w.top + w.height / 2 - from.top;
          const bend = (right ? 1 : -1) * 35;
          const stroke = COLORS[index % COLORS.length];
          svg.append(svgElement('path', { d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`, fill: 'none', stroke, 'stroke-width': 1.6 }),
            svgElement('circle', { cx: x2, cy: y2, r: 3, fill: stroke }));
        }
      }
    }
    box.append(svg);
  };
  new ResizeObserver(draw).observe(box);
  return box;
}

// A colour for each group of four banks: 16 bytes.
const bankColor = bank => `hsl(${Math.round(bank / 32 * 360)} 70% 82%)`;

function tiles(panel, kernel, grid) {
  if (!grid.tiles.length) return;
  panel.append(element('h3', {}, 'Shared memory'), element('p', {}, 'The first rows of each tile. A cell is one unit of so many bytes; its number and colour are the first of the 32 banks that it lies in. Units of one colour conflict when lanes access them at once.'));
  const drawn = new Map();
  const box = element('div', { class: 'tiles' });
  panel.append(box);
  for (const tile of grid.tiles) {
    const pattern = JSON.stringify([tile.unit, tile.banks]);
    const like = drawn.get(pattern);
    drawn.set(pattern, like || tile.name);
    const table = element('table', { class: 'banks' });
    tile.banks.forEach((row, number) => table.append(element('tr', {}, element('th', {}, String(number)),
      ...row.map(bank => element('td', { style: `background:${bankColor(bank)}` }, String(bank))))));
    const shown = tile.banks.length < tile.rows || tile.banks[0].length < tile.units ? `, ${tile.banks.length} of ${tile.rows} rows and ${tile.banks[0].length} of ${tile.units} units shown` : '';
    const node = element('div', { class: 'tile' }, element('p', {}, element('code', {}, `${tile.name} : ${tile.type}`)), element('p', {}, `${tile.bytes} bytes each, units of ${tile.unit} bytes${like ? `; its banks are those of ${like}` : shown}`), like ? null : table);
    box.append(node);
    const own = grid.accesses.filter(access => access.tile === tile.name);
    if (!own.length) continue;
    const list = element('table', {}, element('tr', {}, ...['access by threads', 'instructions', 'bank conflicts'].map(name => element('th', {}, name))));
    for (const access of own) {
      const conflicts = access.ways > 1 ? element('b', { class: 'bad' }, `${access.ways}-way, ${plural(access.wavefronts, 'wavefront')}`) : `none, ${plural(access.wavefronts, 'wavefront')}`;
      list.append(element('tr', {}, element('td', {}, link(access.text, () => open(kernel.stage, access.line))), element('td', {}, access.instruction), element('td', {}, conflicts)));
    }
    node.append(list);
  }
}

function kernels(main) {
  const panel = element('div', { class: 'panel' });
  const names = [...new Set([...data.plans.map(plan => plan.kernel), ...data.kernels.map(kernel => kernel.name)])];
  if (names.length > 1) {
    // Of the kernels that a launch chooses from one runs.
    const launches = new Map();
    for (const { program, launch, time } of data.plans) launches.set(`${program} ${launch}`, Math.min(time ?? Infinity, launches.get(`${program} ${launch}`) ?? Infinity));
    const time = [...launches.values()].reduce((sum, time) => sum + time, 0);
    const table = element('table', {}, element('tr', {}, ...['kernel', 'estimate', 'limited by', 'computes', 'plan'].map(name => element('th', {}, name))));
    names.forEach((name, number) => {
      const plan = data.plans.find(plan => plan.kernel === name);
      table.append(element('tr', {}, element('td', {}, plan?.is_alternative ? 'or ' : null, link('@' + name, () => byId(`kernel-${number}`).scrollIntoView())), element('td', { class: 'num' }, plan?.time ? us(plan.time) : ''),
        element('td', { class: 'limit' }, plan?.limit || ''), element('td', {}, plan?.computes || ''), element('td', {}, element('code', {}, plan?.plan || ''))));
    });
    panel.append(element('h2', {}, `${plural(launches.size || names.length, 'launch')}, ${names.length} kernels` + (time > 0 && time < Infinity ? `, ${us(time)} by the estimate` : '')), table);
  }
  names.forEach((name, place) => {
    panel.append(element('h2', { id: `kernel-${place}` }, element('code', {}, '@' + name)));
    data.plans.filter(plan => plan.kernel === name).forEach(plan => panel.append(...planCard(plan)));
    for (const kernel of data.kernels.filter(kernel => kernel.name === name)) {
      kernel.grids.forEach((grid, number) => {
        panel.append(element('h3', {}, `Roles and barriers${kernel.grids.length > 1 ? `, launch ${number + 1} of ${kernel.grids.length}` : ''}: `, link(grid.text.replace(/ \{$/, ''), () => open(kernel.stage, grid.line))),
          element('p', { class: 'key' }, 'What each role does, from the top: ',
            ...['wait', 'signal', 'barrier', 'memory', 'product'].map(kind => element('span', { class: `event ${kind}` }, kind)),
            ' Curves go from the last signal of a barrier to the first wait for it; point at one to see all ops on that barrier.'),
          lanes(kernel, grid));
        tiles(panel, kernel, grid);
        panel.append(...(registerChart(`${name}_${number}`) || []));
      });
    }
  });
  if (!names.length) panel.append(element('p', {}, 'There are no kernels: no stage has regions or kernels.'));
  main.replaceChildren(panel);
}

// ---- decisions

// The kernels that ops of a line end up in: where the stage has no kernels yet, those of the next stages.
const KERNEL = /^ {0,4}"?(region|kernel|ptx)\.func"?.*?@([\w$.-]+)/;
function kernelsOf(stage, line) {
  let lines = [line];
  for (let at = stage; at < data.stages.length && lines.length; at++) {
    const found = new Set();
    for (const line of lines) {
      for (let above = line; above >= 0; above--) {
        const text = textOf(at, above);
        if (/^ {0,2}\S/.test(text) && !/^ {0,2}[})]/.test(text) && above <= line) {
          const match = text.match(KERNEL);
          if (match) found.add(match[2]);
          if (match || /^ {0,2}"?[\w.]+func/.test(text)) break;
        }
      }
    }
    if (found.size) return [...found];
    if (at + 1 >= data.stages.length || !data.stages[at + 1].from) break;
    lines = step(at, lines, 1).lines;
  }
  return [];
}

// Remarks that differ in names and numbers alone.
const pattern = message => message.replace(/@[\w$.-]+/g, '@').replace(/'[^']*'/g, "'").replace(/\([^()]*\)|\[[^\]]*\]/g, '()').replace(/[\d*]+(\.\d+)?|\b[A-Z]\b/g, '#').replace(/#[# ]*/g, '#');

const KINDS = [['passed', 'done'], ['missed', 'missed'], ['analysis', 'analysis']];

function remarks(main) {
  const panel = element('div', { class: 'panel' });
  const errors = data.remarks.filter(remark => remark.text !== null);
  if (errors.length) {
    panel.append(element('h2', {}, 'Errors and warnings'));
    errors.forEach(error => panel.append(element('pre', { class: error.kind === 'error' ? 'error' : 'warning' }, error.text)));
  }
  if (data.without_ptx) panel.append(element('p', {}, 'No PTX: ' + data.without_ptx));
  const all = data.remarks.filter(remark => remark.text === null);
  panel.append(element('h2', {}, 'What passes decided'));
  if (!all.length) panel.append(element('p', {}, 'No pass reported anything.'));
  else {
    panel.append(element('p', { class: 'kinds' }, 'Show: ', ...KINDS.map(([kind, word]) => element('label', {}, element('input', {
      type: 'checkbox', checked: !state.kinds.has(kind) && '', onchange: event => { event.target.checked ? state.kinds.delete(kind) : state.kinds.add(kind); remarks(main); },
    }), element('span', { class: `badge ${kind}` }, word), ` ${all.filter(remark => remark.kind === kind).length} `))));
  }
  // By kernel, then by pass, then by what is said.
  const groups = new Map();
  for (const remark of all.filter(remark => !state.kinds.has(remark.kind))) {
    let names = remark.at ? kernelsOf(...remark.at) : [];
    if (!names.length) names = [...remark.message.matchAll(/@([\w$.-]+)/g)].map(match => match[1]).filter(name => data.plans.some(plan => plan.kernel === name)).slice(0, 1);
    const title = names.length === 0 ? 'The program' : names.length > 3 ? `${names.length} kernels` : names.map(name => '@' + name).join(' and ');
    if (!groups.has(title)) groups.set(title, new Map());
    const passes = groups.get(title);
    if (!passes.has(remark.pass)) passes.set(remark.pass, new Map());
    const key = remark.kind + pattern(remark.message);
    const said = passes.get(remark.pass);
    said.has(key) ? said.get(key).push(remark) : said.set(key, [remark]);
  }
  const place = remark => remark.at ? link(`${nameOf(remark.at[0])}:${remark.at[1] + 1}`, () => open(...remark.at), textOf(...remark.at).trim()) :
    remark.line === null ? null : link(`input:${remark.line}`, () => open(0, Math.min(remark.line, data.stages[0].lines.length) - 1));
  const item = list => {
    const same = list.every(remark => remark.message === list[0].message);
    const badge = element('span', { class: `badge ${list[0].kind}` }, KINDS.find(([kind]) => kind === list[0].kind)?.[1] || list[0].kind);
    if (list.length === 1) return element('li', { class: list[0].kind }, badge, element('span', {}, list[0].message, ' ', place(list[0])));
    return element('li', { class: list[0].kind }, badge, element('details', {}, element('summary', {}, list[0].message, ' ', element('span', { class: 'count' }, same ? `${list.length} times` : `${list.length} like this`)),
      element('ul', {}, ...list.map(remark => element('li', {}, same ? '' : remark.message + ' ', place(remark))))));
  };
    // Kernels in their order, then what is about several, then the rest.
  const order = [...data.plans.map(plan => '@' + plan.kernel), ...data.kernels.map(kernel => '@' + kernel.name)];
  const rank = title => (title === 'The program' ? Infinity : order.includes(title) ? order.indexOf(title) : order.length);
  for (const [title, passes] of [...groups].sort(([a], [b]) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))) {
    const count = [...passes.values()].flatMap(said => [...said.values()]).flat();
    const missed = count.filter(remark => remark.kind === 'missed').length;
    panel.append(element('h3', {}, title.startsWith('@') ? element('code', {}, title) : title, element('small', {}, ` ${plural(count.length, 'decision')}${missed ? `, ${missed} missed` : ''}`)));
    const table = element('div', { class: 'decisions' });
    for (const [pass, said] of passes) table.append(element('div', { class: 'pass' }, pass), element('ul', { class: 'remarks' }, ...[...said.values()].map(item)));
    panel.append(table);
  }
  main.replaceChildren(panel);
}

// ---- the frame

const TABS = { program: ['Program', program], kernels: ['Kernels', kernels], decisions: ['Decisions', remarks] };

function show() {
  byId('tabs').replaceChildren(...Object.entries(TABS).map(([name, [title]]) =>
    element('button', { class: state.tab === name ? 'on' : '', 'aria-pressed': String(state.tab === name), onclick: () => { state.tab = name; show(); } }, title)));
  const shown = byId('main').dataset.tab;
  if (state.tab === 'program' || shown !== state.tab) {
    const focused = document.activeElement?.classList.contains('code') ? document.activeElement : null;
    const scrolls = panes.map(pane => [pane.code.scrollTop, pane.code.scrollLeft]);
    TABS[state.tab][1](byId('main'));
    if (state.tab === 'program') panes.forEach((pane, at) => { if (scrolls[at]) [pane.code.scrollTop, pane.code.scrollLeft] = scrolls[at]; pane.draw(); });
    focused?.focus();
    if (shown !== state.tab) byId('main').scrollTop = 0;
  }
  byId('main').dataset.tab = state.tab;
  byId('find').hidden = byId('found').hidden = state.tab !== 'program';
  const at = state.selected ? `,${state.selected.stage}:${state.selected.line}` : '';
  // In the frame of a notebook the page has no address.
  if (location.protocol !== 'about:') history.replaceState(null, '', `#${state.tab},${state.left},${state.right}${at}`);
}

// Stages and lines of an address are numbers, or the name of a stage and text that a line has.
function restore() {
  const [tab, left, right, selected] = decodeURIComponent(location.hash.slice(1)).split(',');
  if (!TABS[tab]) return;
  state.tab = tab;
  const stage = text => {
    const named = data.stages.findIndex(stage => stage.title === text);
    return named >= 0 ? named : Math.min(Math.max(0, Number(text) || 0), data.stages.length - 1);
  };
  state.left = stage(left);
  state.right = stage(right);
  if (!selected) return;
  const [of, what] = selected.split(/:(.*)/);
  const { lines } = data.stages[stage(of)];
  const line = /^\d+$/.test(what) ? Number(what) : lines.findIndex(([text]) => data.texts[text].includes(what));
  if (lines[line]) state.selected = { stage: stage(of), line };
}

// The lines of a stage that have what is looked for.
const matches = stage => data.stages[stage].lines.flatMap(([text], line) => (state.find && data.texts[text].toLowerCase().includes(state.find.toLowerCase()) ? [line] : []));

function found() {
  byId('found').textContent = state.find ? `${matches(state.left).length} left, ${matches(state.right).length} right` : '';
}

// The next of some lines after the selected one, in the pane that has it; else in the right one.
function next(linesOf, by) {
  const side = state.selected?.stage === state.left && state.left !== state.right ? 'left' : 'right';
  for (const at of [side, side === 'left' ? 'right' : 'left']) {
    const lines = linesOf(at);
    if (!lines.length) continue;
    const from = state.selected?.stage === state[at] ? state.selected.line : by > 0 ? -1 : Infinity;
    select(state[at], (by > 0 ? lines.find(line => line > from) : lines.findLast(line => line < from)) ?? lines.at(by > 0 ? 0 : -1));
    return;
  }
}

// The first lines of groups of lines that differ.
const differences = side => {
  const marks = compare(state.left, state.right)[side];
  return marks.flatMap((mark, line) => (mark && !marks[line - 1] ? [line] : []));
};

document.title = `${data.source} · dlc`;
byId('source').textContent = `${data.source} · ${plural(data.stages.length, 'stage')} · dlc ${data.version}`;
byId('find').addEventListener('input', event => { state.find = event.target.value; panes.forEach(pane => pane.draw()); found(); });
byId('find').addEventListener('keydown', event => {
  if (event.key === 'Enter' && state.find) next(side => matches(state[side]), event.shiftKey ? -1 : 1);
  if (event.key === 'Escape') event.target.blur();
  if (event.key === 'Enter' || event.key === 'Escape') found();
});
document.addEventListener('keydown', event => {
  if (event.target.type === 'search' || event.metaKey || event.ctrlKey || event.altKey) return;
  const tab = Object.keys(TABS)[Number(event.key) - 1];
  if (tab) { state.tab = tab; show(); return; }
  if (state.tab !== 'program') return;
  const { selected } = state;
  const keys = {
    ArrowRight: () => goBoth(1), ArrowLeft: () => goBoth(-1),
    ArrowDown: selected && (() => select(selected.stage, Math.min(selected.line + 1, data.stages[selected.stage].lines.length - 1))),
    ArrowUp: selected && (() => select(selected.stage, Math.max(selected.line - 1, 0))),
    n: () => next(differences, 1), p: () => next(differences, -1),
    '/': () => byId('find').focus(), Escape: () => { state.selected = null; show(); },
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
  found();
});
addEventListener('resize', () => panes.forEach(pane => pane.draw()));
restore();
// A compile that failed is opened where it failed.
if (!location.hash && data.remarks.some(remark => remark.kind === 'error')) {
  state.right = data.stages.length - 1;
  state.left = Math.max(0, state.right - 1);
  if (data.stages.length === 1) state.tab = 'decisions';
}
show();
if (state.selected && state.tab === 'program') panes.forEach(pane => (state[pane.side] === state.selected.stage ? pane.to(state.selected.line) : follow(pane.side)));
