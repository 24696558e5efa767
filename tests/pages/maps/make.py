"""Makes the scripts and source maps of this folder. Each script logs its name from line 1, column 14, called on line 2;
the maps say that this is line 11, column 5 of the source, called on line 21, column 3."""
import base64, json, pathlib

DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

def vlq(number):
    number = (-number << 1) | 1 if number < 0 else number << 1
    text = ''
    while True:
        digit, number = number & 31, number >> 5
        text += DIGITS[digit | (32 if number else 0)]
        if not number:
            return text

def mappings(lines):
    """Segments (column, line, source column[, name]) of each generated line, all numbers from 0, one source."""
    line = column = name = 0
    first, rows = True, []
    for row in lines:
        last, texts = 0, []
        for segment in row:
            fields = [segment[0] - last, 0, segment[1] - line, segment[2] - column]
            last, line, column = segment[:3]
            if len(segment) == 4:
                fields.append(segment[3] - name)
                name = segment[3]
            texts.append(''.join(map(vlq, fields)))
        rows.append(','.join(texts))
    return ';'.join(rows)

def script(label):
    return f'function a(){{console.error({json.dumps(label)})}}\na();\n'

LINES = [[(0, 9, 0), (13, 10, 4)], [(0, 20, 2)]]

def plain(source, **more):
    return {'version': 3, 'sources': [source], 'names': [], 'mappings': mappings(LINES), **more}

def write(path, text):
    pathlib.Path(path).write_text(text, encoding='utf-8')

def one(name, source_map, comment=None, prefix=''):
    write(f'{name}.js', script(name) + f'//# sourceMappingURL={comment or name + ".js.map"}\n')
    if source_map is not None:
        write(f'{name}.js.map', prefix + (source_map if isinstance(source_map, str) else json.dumps(source_map)))

one('external', plain('ts/external.ts'))
inline = base64.b64encode(json.dumps(plain('ts/inline.ts')).encode()).decode()
one('inline', None, f'data:application/json;base64,{inline}')
write('header.js', script('header'))
write('header.js.map', json.dumps(plain('ts/header.ts')))
one('rooted', plain('deep/rooted.ts', sourceRoot='/maps/ts'))
one('hijack', plain('ts/hijack.ts'), prefix=")]}'\n")
one('größe', plain('ts/größe 日本.ts'), 'gr%C3%B6%C3%9Fe.js.map')
evaluated = base64.b64encode(json.dumps(plain('ts/evaluated.ts')).encode()).decode()
write('evaluated.js', 'eval(' + json.dumps(script('evaluated') + f'//# sourceMappingURL=data:application/json;base64,{evaluated}\n//# sourceURL=/maps/evaluated-inner.js') + ');\n')
one('missing', None)
one('html', '<!doctype html><title>not found</title>')
# Sections: the second one begins at line 2; a third at column 40 of line 4. Line 3 is in no section's mappings.
sections = {'version': 3, 'sections': [
    {'offset': {'line': 0, 'column': 0}, 'map': plain('ts/first.ts') | {'mappings': mappings([LINES[0]])}},
    {'offset': {'line': 1, 'column': 0}, 'map': {'version': 3, 'sources': ['ts/second.ts'], 'names': [], 'mappings': mappings([[(0, 30, 6)], []])}},
    {'offset': {'line': 3, 'column': 40}, 'map': {'version': 3, 'sources': ['ts/third.ts'], 'names': ['renamed'], 'mappings': mappings([[(0, 40, 1), (8, 41, 2, 0)]])}},
]}
code = 'function a(){console.error("indexed")}\nfunction b(){a()}\nfunction c(){b()}\n'
code += 'c();'.ljust(40) + 'function d(){console.error("column")}d();\n'
write('indexed.js', code + '//# sourceMappingURL=indexed.js.map\n')
write('indexed.js.map', json.dumps(sections))
write('guarded.js', script('guarded') + '//# sourceMappingURL=secret/x.map\n')
write('secret/x.map', json.dumps(plain('../ts/guarded.ts')))
write('redirected.js', script('redirected') + '//# sourceMappingURL=external.js.map?redirect=/maps/secret/x.map\n')
write('slow.js', script('slow') + '//# sourceMappingURL=external.js.map?delay=10000\n')
one('unnamed', plain('ts/unnamed.ts', sourcesContent=['\n' * 9 + 'export function unnamed() {\n    console.error()\n}\n' + '\n' * 8 + '  unnamed()\n']))
# The form in which webpack's `eval-source-map` puts its modules: evaluated texts with addresses of their own.
def module(name):
    source_map = base64.b64encode(json.dumps(plain(f'webpack://shop/./src/{name}.ts?c0de')).encode()).decode()
    tail = f'//# sourceMappingURL=data:application/json;charset=utf-8;base64,{source_map}\n//# sourceURL=webpack-internal:///./src/{name}.ts\n'
    return f'  "./src/{name}.ts": () => {{ eval({json.dumps(script("module " + name) + tail)}); }},\n'
write('modules.js', '(() => {\nconst modules = {\n' + module('basket') + module('main') + '};\nfor (const run of Object.values(modules)) run();\n})();\n')
page = '<!doctype html><meta charset="utf-8"><title>Maps</title><link rel="icon" href="data:,">\n'
names = ['external', 'inline', 'header.js?header=SourceMap:header.js.map', 'rooted', 'hijack', 'gr%C3%B6%C3%9Fe', 'evaluated', 'missing', 'html']
write('all.html', page + ''.join(f'<script src="{name if "." in name else name + ".js"}"></script>\n' for name in names))
for name in ['indexed', 'guarded', 'redirected', 'slow']:
    write(f'{name}.html', page + f'<script src="{name}.js"></script>\n')
write('bundles.html', page + ''.join(f'<script src="{name}.js"></script>\n' for name in ['rollup/plain', 'rollup/minified', 'modules', 'unnamed']))
csp = '<meta http-equiv="Content-Security-Policy" content="connect-src \'none\'">'
write('csp.html', page + csp + '\n<script src="external.js"></script>\n')
