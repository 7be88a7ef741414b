def make(Point, Point_mro, Point_lacks, Point_names, interpret, binary, equal, value_2, names, keys_are, is_instance, read_item, K, contains, len_2, less, guard_11, plain_mapping):

    def check(x, flag, d, a, b, items, /, *, globals=None):
        G = globals
        if type(G) is not dict:
            G = plain_mapping(G, 'globals')
        try:
            # 0: type(L['x']) is Point
            if type(x) is not Point:
                return False
            # 8: hasattr(L['x'], 'w')
            if not (Point.__mro__ is Point_mro and Point_lacks(Point_names)):
                return interpret({'x': x, 'flag': flag, 'd': d, 'a': a, 'b': b, 'items': items}, G)
            x_dict = x.__dict__
            if type(x_dict) is not dict:
                return interpret({'x': x, 'flag': flag, 'd': d, 'a': a, 'b': b, 'items': items}, G)
            if 'w' not in x_dict:
                return False
            n = x.n
            # 1: L['x'].n % 8 == 0
            if not ((value := binary('%', n, 8)) is value_2 or (value == 0 if type(value) is int else equal(value, 0))):
                return False
            # 3: keys(L['d']) == ('a', 'b')
            if not keys_are(d, names):
                return False
            # 10: isinstance(L['d'], dict)
            if not (type(d) is dict or is_instance(d, dict)):
                return False
            a_2 = d['a'] if type(d) is dict else read_item(d, 'a')
            # 4: exact(L['d']['a'], 1.0)
            if not (type(a_2) is float and a_2 == 1.0):
                return False
            c = G['c']
            # 5: same(L['a'], L['b'], G['c'])
            if not a is b is c:
                return False
            # 9: K in L['items']
            if not contains(items, K):
                return False
            item_0 = items[0] if type(items) is list or type(items) is tuple or type(items) is dict else read_item(items, 0)
            item_1 = items[1] if type(items) is list or type(items) is tuple or type(items) is dict else read_item(items, 1)
            # 6: L['items'][0] is not L['items'][1]
            if item_0 is item_1:
                return False
            value_3 = len_2(items)
            # 7: 2 <= len(L['items'])
            if not 2 <= value_3:
                return False
            # 7: len(L['items']) < 5
            if not value_3 < 5:
                return False
            # 2: L['x'].n >= 16 or L['flag'] is True
            if not ((n >= 16 if type(n) is int else less('>=', n, 16)) or flag is True):
                return False
            # 11: getattr(L['x'], 'n') == 16
            if not guard_11({'x': x, 'flag': flag, 'd': d, 'a': a, 'b': b, 'items': items}, G):
                return False
        except Exception:
            return False
        return True
    return check
