'use strict';
// The data: `stages`, each with lines [text, places] by number; `texts` and `places` are what the numbers mean. A place is a
// position of the source. All text of the program is put into the page as text, never as markup.
const data = JSON.parse(document.getElementById('data').textContent);
const ROW = 18;
const byId = id => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

// What is looked at. The address of the page holds it, so that a place can be sent to somebody.
const state = { tab: 'program', left: 0, right: data.stages.length > 1 ? 1 : 0, selected: null, find: '' };
const panes = [];

const placesOf = (stage, line) => data.places[data.stages[stage].lines[line][1]];
const meets = (a, b) => a.some(place => b.has(place));

// ---- the program, side by side

const TOKEN = /(\/\/.*$)|("(?:[^"\\]|\\.)*")|(%[\w$.#-]+)|(@[\w$.-]+|\^[\w$.-]+)|([A-Za-z_][\w.]*)/g;
const KEYWORDS = new Set(('func return launch where else for if to step carry yield grid role warps groups registers threads ' +
  'cluster single elect reduce read write entry axes over of at acc init over tile stages instruction roles persistent order cache ' +
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

// A line without the numbers of values, which change with every op before it.
const plainTexts = [];
const plain = text => (plainTexts[text] ??= data.texts[text].replace(/%\d+/g, '%'));

// A pane draws only the lines that are in sight: a program may have many thousands.
class Pane {
  constructor(side) {
    this.side = side;
    this.title = element('b');
    this.about = element('span');
    this.tall = element('div', { class: 'tall' });
    this.code = element('div', { class: 'code', tabindex: 0, onscroll: () => this.draw() }, this.tall);
    const step = by => element('button', { title: by < 0 ? 'the stage before' : 'the next stage', onclick: () => go(side, by) }, by < 0 ? '‹' : '›');
    this.node = element('section', { class: 'pane' },
      element('div', { class: 'pick' }, step(-1), step(1), this.title, this.about), this.code);
  }

  get stage() { return data.stages[state[this.side]]; }

  // Shows the stage that the state says; `other` is what the other pane has.
  show(other) {
    const stage = this.stage;
    this.title.textContent = stage.title + (stage.failed ? ' failed' : '');
    this.about.textContent = [stage.layers.join(' + '), stage.pipeline, `${stage.lines.length} lines`].filter(Boolean).join(' · ');
    const there = new Map();
    for (const [text] of other.lines) there.set(plain(text), (there.get(plain(text)) || 0) + 1);
    this.marks = stage.lines.map(([text]) => {
      const count = there.get(plain(text)) || 0;
      there.set(plain(text), count - 1);
      return count <= 0 && data.texts[text].trim() !== '';
    });
    if (this.stage === other) this.marks.fill(false);
    const longest = stage.lines.reduce((most, [text]) => Math.max(most, data.texts[text].length), 0);
    this.tall.style.height = `${ROW * stage.lines.length}px`;
    this.tall.style.width = `${longest + 14}ch`;
    this.draw();
  }

  draw() {
    const { lines, registers } = this.stage;
    const first = Math.max(0, Math.floor(this.code.scrollTop / ROW) - 10);
    const last = Math.min(lines.length, first + Math.ceil((this.code.clientHeight || 900) / ROW) + 20);
    const selected = state.selected && new Set(state.selected.places);
    const rows = [];
    for (let line = first; line < last; line++) {
      const classes = ['row'];
      if (this.marks[line]) classes.push(this.side === 'left' ? 'gone' : 'new');
      if (selected && meets(data.places[lines[line][1]], selected)) classes.push('hit');
      if (state.selected && state.selected.stage === state[this.side] && state.selected.line === line) classes.push('here');
      const row = element('div', { class: classes.join(' '), style: `top:${ROW * line}px`, onclick: () => select(state[this.side], line) },
        element('span', { class: 'n' }, String(line + 1)));
      if (registers) {
        const live = registers[line];
        row.append(element('span', { class: 'r', title: 'registers that hold values after this instruction' }, live === null ? '' : String(live)));
      }
      highlight(row, data.texts[lines[line][0]]);
      rows.push(row);
    }
    this.tall.replaceChildren(...rows);
  }

  to(line) {
    const top = ROW * line - (this.code.clientHeight || 400) / 3;
    this.code.scrollTop = Math.max(0, top);
  }
}

function go(side, by) {
  const next = state[side] + by;
  if (next < 0 || next >= data.stages.length) return;
  state[side] = next;
  show();
  follow(side);
}

// The first line of a stage that has to do with what is selected.
function related(stage) {
  if (!state.selected) return -1;
  const selected = new Set(state.selected.places);
  return data.stages[stage].lines.findIndex(([, places]) => meets(data.places[places], selected));
}

function follow(side) {
  const line = related(state[side]);
  if (line >= 0) panes.find(pane => pane.side === side).to(line);
}

function select(stage, line) {
  state.selected = { stage, line, places: placesOf(stage, line) };
  show();
  for (const pane of panes) if (state[pane.side] !== stage) follow(pane.side);
}

// Opens a stage at the right, at a line.
function open(stage, line) {
  state.tab = 'program';
  state.right = stage;
  if (state.left >= stage) state.left = Math.max(0, stage - 1);
  state.selected = { stage, line, places: placesOf(stage, line) };
  show();
  panes.find(pane => pane.side === 'right').to(line);
  follow('left');
}

function footer() {
  const foot = byId('footer');
  foot.replaceChildren();
  if (state.tab !== 'program') return;
  if (!state.selected) {
    foot.append('Click a line to see where it came from and what became of it. ← and → go from stage to stage; a marked line is not in the other pane.');
    return;
  }
  const selected = new Set(state.selected.places);
  if (!selected.size) {
    foot.append('This line does not say where it came from.');
    return;
  }
  foot.append('Lines of the same place: ');
  data.stages.forEach((stage, number) => {
    const lines = stage.lines.flatMap(([, places], line) => (meets(data.places[places], selected) ? [line] : []));
    if (lines.length) foot.append(element('a', { onclick: () => open(number, lines[0]) }, `${stage.title} (${lines.length})`));
  });
}

function program(main) {
  const list = element('div', { class: 'list' });
  data.stages.forEach((stage, number) => {
    const classes = [state.left === number && 'left', state.right === number && 'right', stage.failed && 'failed'].filter(Boolean);
    list.append(element('div', {
      class: classes.join(' '), title: `${stage.pipeline || stage.title} (shift: to the left pane)`,
      onclick: event => { state[event.shiftKey ? 'left' : 'right'] = number; if (!event.shiftKey) state.left = Math.max(0, number - 1); show(); follow('left'); follow('right'); },
    }, stage.title, element('small', {}, stage.layers.join(' '))));
  });
  if (!panes.length) panes.push(new Pane('left'), new Pane('right'));
  main.replaceChildren(element('div', { class: 'program' }, list, ...panes.map(pane => pane.node)));
  panes[0].show(panes[1].stage);
  panes[1].show(panes[0].stage);
}

// ---- kernels

const COLORS = ['#4c78a8', '#f58518', '#54a24b', '#b279a2', '#e45756', '#9d755d'];

function plans(panel) {
  if (!data.plans.length) return;
  panel.append(element('h2', {}, 'Plans'), element('p', {}, 'The estimate of each kernel by its plan, in microseconds, and its terms. Terms overlap, so they do not add up.'));
  const table = element('table', {}, element('tr', {}, ...['kernel', 'computes', 'estimate', 'limited by', 'terms', 'plan'].map(name => element('th', {}, name))));
  for (const plan of data.plans) {
    const terms = element('td', { class: 'terms' });
    const most = Math.max(...(plan.terms || []).map(([, time]) => time), 1e-9);
    (plan.terms || []).forEach(([name, time], number) => {
      if (time > most / 1000) terms.append(element('div', {}, element('span', { class: 'bar', style: `width:${Math.round(90 * time / most)}px;background:${COLORS[number]}` }), `${name} ${time.toFixed(1)}`));
    });
    const sizes = plan.sizes.map(([name, size]) => `${name} = ${size}`).join(', ');
    table.append(element('tr', {}, element('td', {}, element('code', {}, '@' + plan.kernel)), element('td', {}, plan.computes),
      element('td', { title: sizes }, plan.time === null ? 'no estimate' : `${plan.time.toFixed(1)} us`, sizes ? element('p', {}, `at ${sizes}`) : null),
      element('td', {}, plan.limit || ''), terms, element('td', {}, element('code', {}, plan.plan))));
  }
  panel.append(table);
}

function lanes(kernel, grid) {
  const box = element('div', { class: 'lanes' });
  const nodes = [];
  const bright = barrier => nodes.forEach(({ node, event }) => node.classList.toggle('dim', barrier !== null && event.barrier !== barrier));
  for (const [number, lane] of grid.lanes.entries()) {
    const column = element('div', { class: 'lane' }, element('header', {}, element('b', {}, lane.name), ' ', element('small', {}, lane.who)));
    for (const event of lane.events) {
      const node = element('div', {
        class: `event ${event.kind}`, style: `margin-left:${14 * event.depth}px`, title: event.text,
        onclick: () => event.line !== null && open(kernel.stage, event.line),
        onmouseenter: () => event.barrier && bright(event.barrier), onmouseleave: () => bright(null),
      }, event.text);
      nodes.push({ node, event, lane: number });
      column.append(node);
    }
    box.append(column);
  }
  // From the last signal of a lane to the first wait of another one, for each barrier.
  requestAnimationFrame(() => {
    const from = box.getBoundingClientRect();
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('width', box.scrollWidth);
    svg.setAttribute('height', box.scrollHeight);
    const names = [...new Set(nodes.map(({ event }) => event.barrier).filter(Boolean))];
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
          const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
          const bend = (right ? 1 : -1) * 35;
          path.setAttribute('d', `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`);
          path.setAttribute('fill', 'none');
          path.setAttribute('stroke', COLORS[index % COLORS.length]);
          path.setAttribute('stroke-width', '1.6');
          svg.append(path);
          const dot = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
          for (const [name, value] of [['cx', x2], ['cy', y2], ['r', 3], ['fill', COLORS[index % COLORS.length]]]) dot.setAttribute(name, value);
          svg.append(dot);
        }
      }
    }
    box.append(svg);
  });
  return box;
}

// A colour for each group of four banks: 16 bytes.
const bankColor = bank => `hsl(${Math.round(bank / 32 * 360)} 70% 82%)`;

function tiles(panel, kernel, grid) {
  if (!grid.tiles.length) return;
  panel.append(element('h3', {}, 'Shared memory'), element('p', {}, 'The first rows of each tile: a cell is a unit of so many bytes, its number and colour are the first of the 32 banks that it lies in. Units of one colour conflict when lanes want them at once.'));
  const drawn = new Map();
  for (const tile of grid.tiles) {
    const pattern = JSON.stringify([tile.unit, tile.banks]);
    const like = drawn.get(pattern);
    drawn.set(pattern, like || tile.name);
    const table = element('table', { class: 'banks' });
    tile.banks.forEach((row, number) => table.append(element('tr', {}, element('th', {}, String(number)),
      ...row.map(bank => element('td', { style: `background:${bankColor(bank)}` }, String(bank))))));
    const shown = tile.banks.length < tile.rows || tile.banks[0].length < tile.units ? `, ${tile.banks.length} of ${tile.rows} rows and ${tile.banks[0].length} of ${tile.units} units shown` : '';
    panel.append(...[element('p', {}, element('code', {}, `${tile.name} : ${tile.type}`), ` ${tile.bytes} bytes each, units of ${tile.unit} bytes${shown}${like ? `; its banks are those of ${like}` : ''}`), like ? null : table].filter(Boolean));
    const own = grid.accesses.filter(access => access.tile === tile.name);
    if (!own.length) continue;
    const list = element('table', {}, element('tr', {}, ...['access by threads', 'instructions', 'conflicts'].map(name => element('th', {}, name))));
    for (const access of own) {
      const conflicts = access.ways > 1 ? `${access.ways}-way: ${access.wavefronts} wavefronts` : `none: ${access.wavefronts} wavefronts`;
      list.append(element('tr', {}, element('td', {}, element('a', { onclick: () => open(kernel.stage, access.line) }, element('code', {}, access.text))),
        element('td', {}, access.instruction), element('td', {}, conflicts)));
    }
    panel.append(list);
  }
}

function kernels(main) {
  const panel = element('div', { class: 'panel' });
  plans(panel);
  for (const kernel of data.kernels) {
    kernel.grids.forEach((grid, number) => {
      panel.append(element('h2', {}, element('code', {}, '@' + kernel.name), kernel.grids.length > 1 ? `, launch ${number + 1} of ${kernel.grids.length}` : ''),
        element('p', {}, element('code', {}, grid.text.replace(/ \{$/, ''))),
        element('p', { class: 'key' }, 'What each role does, from the top: ',
          ...['wait', 'signal', 'barrier', 'memory', 'product'].map(kind => element('span', { class: `event ${kind}` }, kind)),
          ' Curves go from who signals a barrier to who waits for it; hover over one to see all of its ops.'),
        lanes(kernel, grid));
      tiles(panel, kernel, grid);
    });
  }
  if (!data.plans.length && !data.kernels.length) panel.append(element('p', {}, 'No kernel was made.'));
  main.replaceChildren(panel);
}

// ---- decisions

function remarks(main) {
  const panel = element('div', { class: 'panel' });
  const errors = data.remarks.filter(remark => remark.text !== null);
  if (errors.length) {
    panel.append(element('h2', {}, 'Errors and warnings'));
    errors.forEach(error => panel.append(element('pre', { class: 'error' }, error.text)));
  }
  if (data.without_ptx) panel.append(element('p', {}, 'No PTX: ' + data.without_ptx));
  const passes = new Map();
  for (const remark of data.remarks.filter(remark => remark.text === null)) {
    if (!passes.has(remark.pass)) passes.set(remark.pass, []);
    passes.get(remark.pass).push(remark);
  }
  panel.append(element('h2', {}, 'What passes decided'), element('p', {}, 'Done, not done and why (missed), found out (analysis).'));
  for (const [pass, list] of passes) {
    panel.append(element('h3', {}, pass));
    const lines = element('ul', { class: 'remarks' });
    for (const { kind, message, line } of list) {
      const to = line === null ? null : element('a', { onclick: () => open(0, Math.min(line, data.stages[0].lines.length) - 1) }, `line ${line}`);
      lines.append(element('li', { class: kind }, to, message));
    }
    panel.append(lines);
  }
  if (!passes.size) panel.append(element('p', {}, 'No pass had anything to say.'));
  main.replaceChildren(panel);
}

// ---- the frame

const TABS = { program: ['Program', program], kernels: ['Kernels', kernels], decisions: ['Decisions', remarks] };

function show() {
  byId('tabs').replaceChildren(...Object.entries(TABS).map(([name, [title]]) =>
    element('button', { class: state.tab === name ? 'on' : '', onclick: () => { state.tab = name; show(); } }, title)));
  const shown = byId('main').dataset.tab;
  if (state.tab === 'program' || shown !== state.tab) TABS[state.tab][1](byId('main'));
  byId('main').dataset.tab = state.tab;
  footer();
  const at = state.selected ? `,${state.selected.stage}:${state.selected.line}` : '';
  history.replaceState(null, '', `#${state.tab},${state.left},${state.right}${at}`);
}

function restore() {
  const [tab, left, right, selected] = location.hash.slice(1).split(',');
  if (!TABS[tab]) return;
  state.tab = tab;
  const stage = text => Math.min(Math.max(0, Number(text) || 0), data.stages.length - 1);
  state.left = stage(left);
  state.right = stage(right);
  const [of, line] = (selected || '').split(':').map(Number);
  if (data.stages[of] && data.stages[of].lines[line]) state.selected = { stage: of, line, places: placesOf(of, line) };
}

document.title = `${data.source} · dlc`;
byId('source').textContent = `${data.source} · ${data.stages.length} stages · dlc ${data.version}`;
byId('find').addEventListener('input', event => { state.find = event.target.value; panes.forEach(pane => pane.draw()); });
document.addEventListener('keydown', event => {
  if (event.target.tagName === 'INPUT' || state.tab !== 'program') return;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  const right = Math.min(Math.max(0, state.right + by), data.stages.length - 1);
  state.right = right;
  state.left = Math.max(0, right - 1);
  show();
  follow('left');
  follow('right');
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
